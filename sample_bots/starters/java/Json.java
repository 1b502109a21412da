// JSON for Bot.java, which Java's standard library does not have. Members that are missing are
// empty: get("a").get("b").text() never fails.

import java.util.*;

class Json {
    final Object value; // a Map, a List, a String, or null; numbers, true and false as their text
    int status; // of the reply whose body this is

    Json(Object value) {
        this.value = value;
    }

    Json with(int status) {
        this.status = status;
        return this;
    }

    Json get(String member) {
        return value instanceof Map<?, ?> map && map.get(member) instanceof Json one ? one : new Json(null);
    }

    String text() {
        return value instanceof String text ? text : "";
    }

    @SuppressWarnings("unchecked")
    List<Json> list() {
        return value instanceof List<?> list ? (List<Json>) list : List.of();
    }

    static Json read(String text) {
        return new Reader(text).value();
    }

    private static class Reader {
        final String text;
        int at;

        Reader(String text) {
            this.text = text;
        }

        char next() { // the next character that is no blank, which is not passed
            while (Character.isWhitespace(text.charAt(at))) at++;
            return text.charAt(at);
        }

        Json value() {
            char first = next();
            if (first == '{') return new Json(members());
            if (first == '[') return new Json(entries());
            if (first == '"') return new Json(string());
            int from = at;
            while (at < text.length() && "+-.aelnrstufE0123456789".indexOf(text.charAt(at)) >= 0) at++;
            if (from == at) throw new IllegalArgumentException("no JSON: " + text);
            String word = text.substring(from, at);
            return new Json(word.equals("null") ? null : word);
        }

        Map<String, Json> members() {
            var map = new LinkedHashMap<String, Json>();
            at++;
            while (next() != '}') {
                String name = string();
                if (next() != ':') throw new IllegalArgumentException("no JSON: " + text);
                at++;
                map.put(name, value());
                if (next() == ',') at++;
            }
            at++;
            return map;
        }

        List<Json> entries() {
            var list = new ArrayList<Json>();
            at++;
            while (next() != ']') {
                list.add(value());
                if (next() == ',') at++;
            }
            at++;
            return list;
        }

        String string() {
            var out = new StringBuilder();
            at++;
            for (; text.charAt(at) != '"'; at++) {
                if (text.charAt(at) != '\\') {
                    out.append(text.charAt(at));
                    continue;
                }
                char escaped = text.charAt(++at);
                if (escaped == 'u') {
                    out.append((char) Integer.parseInt(text.substring(at + 1, at + 5), 16));
                    at += 4;
                } else {
                    int known = "bfnrt".indexOf(escaped);
                    out.append(known < 0 ? escaped : "\b\f\n\r\t".charAt(known));
                }
            }
            at++;
            return out.toString();
        }
    }
}
