// The strategy of the bot: this is the place for your own ideas.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

std::vector<int> strengths(const nlohmann::json& cards, const nlohmann::json& turn) {
    std::vector<int> found;
    for (const std::string card : cards) {
        int rank = std::string("3456789TJQKA2").find(card[1]);
        if (turn["order"] == "reversed") rank = 12 - rank;  // a revolution: the 3 is high
        found.push_back(card == "JK" ? 50 : rank);
    }
    return found;
}

// The number of an answer in `legal` of a turn, a document of the protocol.
// Here: low cards, many at once; sets are not broken, jokers are kept.
int choose(const nlohmann::json& turn) {
    int best = 0, number = 0;  // 0: something else is asked, or nothing is listed
    double lowest = 1e9;
    auto held = strengths(turn["held"], turn);
    for (const nlohmann::json& entry : turn.value("legal", nlohmann::json::array())) {
        auto own = strengths(entry.value("cards", nlohmann::json::array()), turn);
        double count = own.size(), sum = std::accumulate(own.begin(), own.end(), 0);
        auto also = [&](int one) { return std::count(own.begin(), own.end(), one) > 0; };
        double left = std::count_if(held.begin(), held.end(), also) - count;
        double cost = sum / std::max(count, 1.0) - count + 4 * left;
        if (count > 0 && cost < lowest) best = number, lowest = cost;
        number++;
    }
    return best;
}
