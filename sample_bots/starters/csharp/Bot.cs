// A bot for Daifugō Arena in C#, with the standard library alone.
//
//     dotnet run -- --url http://127.0.0.1:8000 --session spring-cup --name me
//
// What is not given is read from ARENA_URL, ARENA_SESSION, ARENA_NAME, ARENA_CODE and ARENA_TOKEN.
// Write your own strategy into Choose.cs; this file keeps to the protocol. The reader of JSON is
// one that .NET and Mono both have: an object is an XElement, an array has elements "item".

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Runtime.Serialization.Json;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading;
using System.Xml;
using System.Xml.Linq;

static partial class Bot
{
    static readonly HttpClient Http = new HttpClient { Timeout = TimeSpan.FromSeconds(60) };
    static string[] flags;
    static string url, token = "";

    // `--name VALUE` of the command line, or ARENA_NAME of the environment.
    static string Setting(string name, string otherwise)
    {
        int at = Array.IndexOf(flags, "--" + name);
        if (at >= 0 && at + 1 < flags.Length) return flags[at + 1];
        string value = Environment.GetEnvironmentVariable("ARENA_" + name.ToUpper());
        return string.IsNullOrEmpty(value) ? otherwise : value;
    }

    static void Stop(string text, int code)
    {
        Console.Error.WriteLine("bot: " + text);
        Environment.Exit(code);
    }

    // One request -> its document. The same again, after a while, if there is no answer or the
    // arena asks for patience; no answer counts twice, however often it is sent.
    static XElement Ask(string method, string path, string body, out int status)
    {
        for (int attempt = 1; attempt < 23; attempt++) // two minutes in all
        {
            double pause = attempt / 2.0;
            string trouble;
            try
            {
                var request = new HttpRequestMessage(new HttpMethod(method), url + "/api/v1" + path);
                if (body != "") request.Content = new StringContent(body, Encoding.UTF8, "application/json");
                if (token != "") request.Headers.Add("Authorization", "Bearer " + token);
                HttpResponseMessage reply = Http.SendAsync(request).Result;
                byte[] bytes = reply.Content.ReadAsByteArrayAsync().Result;
                var quotas = XmlDictionaryReaderQuotas.Max;
                XElement got = XElement.Load(JsonReaderWriterFactory.CreateJsonReader(bytes, quotas));
                status = (int)reply.StatusCode;
                if (status == 401) Stop("the token is refused: " + Text(got, "detail"), 1);
                if (!new[] { 429, 500, 502, 503, 504 }.Contains(status)) return got;
                var wanted = reply.Headers.RetryAfter;
                if (wanted != null && wanted.Delta != null) pause = wanted.Delta.Value.TotalSeconds;
                trouble = status + " " + Text(got, "detail");
            }
            catch (Exception error) when (error is AggregateException || error is XmlException)
            {
                trouble = error.GetBaseException().Message;
            }
            Console.Error.WriteLine("bot: " + method + " " + path + ": " + trouble);
            Thread.Sleep((int)(1000 * pause));
        }
        Stop("no answer from " + url, 1);
        throw new InvalidOperationException();
    }

    // Use the token that is given or was kept; else register, and keep the new one.
    static void SignIn(string name)
    {
        string host = url.Substring(url.IndexOf("//") + 2);
        string kept = Regex.Replace(name + "@" + host, "[^A-Za-z0-9.-]", "_") + ".token";
        token = Setting("token", File.Exists(kept) ? File.ReadAllText(kept).Trim() : "");
        if (token != "") return;
        string code = Setting("code", "");
        if (code != "") code = "\", \"code\": \"" + code;
        int status;
        XElement got = Ask("POST", "/bots", "{\"name\": \"" + name + code + "\"}", out status);
        if (status != 201) Stop("not registered: " + Text(got, "detail"), 1);
        token = Text(got, "token");
        File.WriteAllText(kept, token);
    }

    // Answer turns until the session is over.
    static void Main(string[] words)
    {
        flags = words;
        url = Setting("url", "http://127.0.0.1:8000").TrimEnd('/');
        string session = Setting("session", ""), cursor = "";
        if (session == "") Stop("usage: Bot --url URL --session SESSION --name NAME [--code CODE]", 2);
        SignIn(Setting("name", "csharp-starter"));
        int status;
        XElement got = Ask("PUT", "/sessions/" + session + "/entry", "", out status);
        // 409: it runs already, and may have this bot.
        if (status >= 400 && status != 409) Stop("not entered: " + Text(got, "detail"), 1);
        var turns = new Queue<XElement>();
        while (true)
        {
            if (turns.Count == 0)
                got = Ask("GET", "/turns?wait=25" + cursor, "", out status);
            else
            {
                XElement turn = turns.Dequeue();
                // The last answer waits for the next turns, which saves a request for each move.
                string wait = turns.Count == 0 ? "?wait=25" + cursor : "";
                string answer = "{\"choice\": " + Choose(turn) + "}";
                string path = "/turns/" + Text(turn, "turn") + wait;
                got = Ask("POST", path, answer, out status);
                bool refused = status == 400 || status == 422;
                if (refused) got = Ask("POST", path, "{\"choice\": 0}", out status);
                if (status != 200) Console.Error.WriteLine("bot: " + Text(got, "detail")); // too late
            }
            foreach (XElement turn in Items(got, "turns").Concat(Items(got, "next"))) turns.Enqueue(turn);
            if (Text(got, "cursor") != "") cursor = "&after=" + Text(got, "cursor");
            if (turns.Count > 0) continue;
            string over = Text(Ask("GET", "/sessions/" + session, "", out status), "status");
            if (over == "finished" || over == "cancelled") return;
            string pause = Text(got, "poll_after_ms");
            Thread.Sleep(pause == "" ? 1000 : int.Parse(pause));
        }
    }
}
