// A bot for Daifugō Arena in C++17, with libcurl and nlohmann/json.
//
//     g++ -std=c++17 -o bot bot.cpp -lcurl
//     ./bot --url http://127.0.0.1:8000 --session spring-cup --name me
//
// What is not given is read from ARENA_URL, ARENA_SESSION, ARENA_NAME, ARENA_CODE and ARENA_TOKEN.
// Write your own strategy into choose.hpp; this file keeps to the protocol.

#include <curl/curl.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "choose.hpp"

using nlohmann::json;
using std::string;

std::vector<string> flags;
string url, token;

// `--name VALUE` of the command line, or ARENA_NAME of the environment.
string setting(const string& name, const string& otherwise = "") {
    auto at = std::find(flags.begin(), flags.end(), "--" + name);
    if (at != flags.end() && at + 1 != flags.end()) return at[1];
    string variable = "ARENA_" + name;
    for (char& letter : variable) letter = std::toupper(letter);
    const char* value = std::getenv(variable.c_str());
    return value && *value ? value : otherwise;
}

[[noreturn]] void stop(const string& text, int code = 1) {
    std::cerr << "bot: " << text << std::endl;
    std::exit(code);
}

void wait_for(double s) { std::this_thread::sleep_for(std::chrono::duration<double>(s)); }

size_t keep(char* data, size_t size, size_t count, void* text) {
    static_cast<string*>(text)->append(data, size * count);
    return size * count;
}

// A text of a document; empty if it has none.
string text_of(const json& got, const char* member) {
    return got.contains(member) && got[member].is_string() ? got[member] : "";
}

// One request -> the document; its status is put into `code`. The same again, after a while, if
// there is no answer or the arena asks for patience; no answer counts twice, however often.
json ask(const string& method, const string& path, long& code, const json& body = nullptr) {
    static CURL* curl = curl_easy_init();  // keeps its connection
    for (int attempt = 1; attempt < 23; attempt++) {  // two minutes in all
        curl_easy_reset(curl);
        string reply, sent = body.is_null() ? "" : body.dump();
        curl_slist* head = curl_slist_append(nullptr, "Content-Type: application/json");
        if (!token.empty()) head = curl_slist_append(head, ("Authorization: Bearer " + token).c_str());
        curl_easy_setopt(curl, CURLOPT_URL, (url + "/api/v1" + path).c_str());
        if (method != "GET") curl_easy_setopt(curl, CURLOPT_POSTFIELDS, sent.c_str());
        curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method.c_str());
        curl_easy_setopt(curl, CURLOPT_HTTPHEADER, head);
        curl_easy_setopt(curl, CURLOPT_TIMEOUT, 60L);
        curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, keep);
        curl_easy_setopt(curl, CURLOPT_WRITEDATA, &reply);
        CURLcode trouble = curl_easy_perform(curl);
        curl_off_t wanted = 0;
        curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &code);
        curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &wanted);
        curl_slist_free_all(head);
        json got = json::parse(reply, nullptr, false);
        if (trouble == CURLE_OK && got.is_object()) {
            if (code == 401) stop("the token is refused: " + text_of(got, "detail"));
            if (code != 429 && code != 500 && (code < 502 || code > 504)) return got;
        }
        std::cerr << "bot: " << method << " " << path << ": " << code << " "
                  << curl_easy_strerror(trouble) << std::endl;
        wait_for(wanted > 0 ? wanted : attempt / 2.0);
    }
    stop("no answer from " + url);
}

// Use the token that is given or was kept; else register, and keep the new one.
void sign_in(const string& name) {
    string kept = name + "@" + url.substr(url.find("//") + 2);
    for (char& one : kept) one = std::isalnum((unsigned char)one) || one == '-' || one == '.' ? one : '_';
    kept += ".token";
    token = setting("token");
    if (token.empty()) std::getline(std::ifstream(kept), token);
    if (!token.empty()) return;
    json asked = {{"name", name}};
    if (setting("code") != "") asked["code"] = setting("code");
    long code;
    json got = ask("POST", "/bots", code, asked);
    if (code != 201) stop("not registered: " + text_of(got, "detail"));
    token = got["token"];
    umask(077);
    std::ofstream(kept) << token << std::endl;
}

// Answer turns until the session is over.
int main(int count, char** words) {
    flags.assign(words + 1, words + count);
    url = setting("url", "http://127.0.0.1:8000");
    if (url.back() == '/') url.pop_back();
    string session = setting("session"), cursor;
    if (session.empty()) stop("usage: bot --url URL --session SESSION --name NAME [--code CODE]", 2);
    sign_in(setting("name", "cpp-starter"));
    long code, unused;
    json got = ask("PUT", "/sessions/" + session + "/entry", code), turns = json::array();
    // 409: it runs already, and may have this bot.
    if (code >= 400 && code != 409) stop("not entered: " + text_of(got, "detail"));
    while (true) {
        if (turns.empty()) {
            got = ask("GET", "/turns?wait=25" + cursor, code);
        } else {
            json turn = turns[0];
            turns.erase(0);
            // The last answer waits for the next turns, which saves a request for each move.
            string path = "/turns/" + text_of(turn, "turn") + (turns.empty() ? "?wait=25" + cursor : "");
            got = ask("POST", path, code, {{"choice", choose(turn)}});
            if (code == 400 || code == 422) got = ask("POST", path, code, {{"choice", 0}});  // refused
            if (code != 200) std::cerr << "bot: " << text_of(got, "detail") << std::endl;  // too late
        }
        for (const char* member : {"turns", "next"})
            for (json& turn : got[member]) turns.push_back(turn);
        if (got["cursor"].is_number()) cursor = "&after=" + got["cursor"].dump();
        if (!turns.empty()) continue;
        string status = text_of(ask("GET", "/sessions/" + session, unused), "status");
        if (status == "finished" || status == "cancelled") return 0;
        wait_for(got.value("poll_after_ms", 1000) / 1000.0);
    }
}
