// A bot for Daifugō Arena in Java 17, with the standard library alone.
//
//     java Bot.java --url http://127.0.0.1:8000 --session spring-cup --name me
//
// What is not given is read from ARENA_URL, ARENA_SESSION, ARENA_NAME, ARENA_CODE and ARENA_TOKEN.
// Write your own strategy into `choose`; the rest keeps to the protocol.

import java.io.IOException;
import java.net.URI;
import java.net.http.*;
import java.nio.file.*;
import java.time.Duration;
import java.util.*;

public class Bot {
    // The number of an answer in `legal` of a turn. This is the place for your own ideas.
    // Here: low cards, many at once; sets are not broken, jokers are kept.
    static int choose(Json turn) {
        int best = 0; // something else is asked, or nothing is listed
        double lowest = Double.MAX_VALUE;
        List<Json> legal = turn.get("legal").list();
        for (int number = 0; number < legal.size(); number++) {
            List<Integer> own = strengths(legal.get(number).get("cards"), turn);
            if (own.isEmpty()) continue;
            long left = strengths(turn.get("held"), turn).stream().filter(own::contains).count();
            double mean = own.stream().mapToInt(one -> one).average().orElse(0);
            double cost = mean - own.size() + 4 * (left - own.size());
            if (cost < lowest) {
                best = number;
                lowest = cost;
            }
        }
        return best;
    }

    static List<Integer> strengths(Json cards, Json turn) {
        boolean reversed = turn.get("order").text().equals("reversed"); // a revolution: 3 is high
        return cards.list().stream().map(Json::text).map(card -> {
            int rank = "3456789TJQKA2".indexOf(card.charAt(1));
            return card.equals("JK") ? 50 : reversed ? 12 - rank : rank;
        }).toList();
    }

    static List<String> flags;
    static String url, token;
    static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    // `--name VALUE` of the command line, or ARENA_NAME of the environment.
    static String setting(String name, String otherwise) {
        int at = flags.indexOf("--" + name);
        if (at >= 0 && at + 1 < flags.size()) return flags.get(at + 1);
        String value = System.getenv("ARENA_" + name.toUpperCase());
        return value == null || value.isEmpty() ? otherwise : value;
    }

    static void stop(int code, String text) {
        System.err.println("bot: " + text);
        System.exit(code);
    }

    // One request -> its document, with the status as `http`. The same again, after a while, if
    // there is no answer or the arena asks for patience; no answer counts twice, however often.
    static Json ask(String method, String path, String body) throws InterruptedException {
        for (int attempt = 1; attempt < 23; attempt++) { // two minutes in all
            double pause = attempt / 2.0;
            var request = HttpRequest.newBuilder(URI.create(url + "/api/v1" + path))
                    .timeout(Duration.ofSeconds(60)).header("Content-Type", "application/json")
                    .method(method, HttpRequest.BodyPublishers.ofString(body));
            if (!token.isEmpty()) request.header("Authorization", "Bearer " + token);
            String trouble;
            try {
                var reply = HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
                Json got = Json.read(reply.body());
                int status = reply.statusCode();
                trouble = status + " " + got.get("detail").text();
                if (status == 401) stop(1, "the token is refused: " + got.get("detail").text());
                if (!List.of(429, 500, 502, 503, 504).contains(status)) return got.with(status);
                String wanted = reply.headers().firstValue("Retry-After").orElse("");
                if (wanted.matches("[0-9.]+")) pause = Double.parseDouble(wanted);
            } catch (IOException | RuntimeException error) {
                trouble = error.toString();
            }
            System.err.println("bot: " + method + " " + path + ": " + trouble);
            Thread.sleep((long) (1000 * pause));
        }
        stop(1, "no answer from " + url);
        return null;
    }

    // Use the token that is given or was kept; else register, and keep the new one.
    static void signIn(String name) throws IOException, InterruptedException {
        String host = url.substring(url.indexOf("//") + 2);
        Path kept = Path.of((name + "@" + host).replaceAll("[^A-Za-z0-9.-]", "_") + ".token");
        token = setting("token", Files.exists(kept) ? Files.readString(kept).strip() : "");
        if (!token.isEmpty()) return;
        String code = setting("code", "").isEmpty() ? "" : "\", \"code\": \"" + setting("code", "");
        Json got = ask("POST", "/bots", "{\"name\": \"" + name + code + "\"}");
        if (got.status != 201) stop(1, "not registered: " + got.get("detail").text());
        token = got.get("token").text();
        Files.writeString(kept, token);
        kept.toFile().setReadable(false, false);
        kept.toFile().setReadable(true, true);
    }

    // Answer turns until the session is over.
    static void play(String session) throws InterruptedException {
        Json got = ask("PUT", "/sessions/" + session + "/entry", "");
        // 409: it runs already, and may have this bot.
        if (got.status >= 400 && got.status != 409) stop(1, "not entered: " + got.get("detail").text());
        var turns = new ArrayDeque<Json>();
        String cursor = "";
        while (true) {
            String wait = "?wait=25" + (cursor.isEmpty() ? "" : "&after=" + cursor);
            if (turns.isEmpty()) {
                got = ask("GET", "/turns" + wait, "");
                turns.addAll(got.get("turns").list());
            } else {
                Json turn = turns.remove();
                // The last answer waits for the next turns, which saves a request for each move.
                String path = "/turns/" + turn.get("turn").text() + (turns.isEmpty() ? wait : "");
                got = ask("POST", path, "{\"choice\": " + choose(turn) + "}");
                boolean refused = got.status == 400 || got.status == 422;
                if (refused) got = ask("POST", path, "{\"choice\": 0}");
                // Too late, for one.
                if (got.status != 200) System.err.println("bot: " + got.get("detail").text());
                turns.addAll(got.get("next").list());
            }
            if (!got.get("cursor").text().isEmpty()) cursor = got.get("cursor").text();
            if (!turns.isEmpty()) continue;
            String status = ask("GET", "/sessions/" + session, "").get("status").text();
            if (status.equals("finished") || status.equals("cancelled")) return;
            String pause = got.get("poll_after_ms").text();
            Thread.sleep(pause.isEmpty() ? 1000 : Long.parseLong(pause));
        }
    }
    public static void main(String[] words) throws IOException, InterruptedException {
        flags = List.of(words);
        url = setting("url", "http://127.0.0.1:8000").replaceAll("/+$", "");
        token = "";
        String session = setting("session", "");
        if (session.isEmpty()) stop(2, "usage: Bot --url URL --session SESSION --name NAME [--code CODE]");
        signIn(setting("name", "java-starter"));
        play(session);
        System.exit(0);
    }
}
