// The strategy of the bot, and what it reads documents with.

using System.Collections.Generic;
using System.Linq;
using System.Xml.Linq;

static partial class Bot
{
    // The number of an answer in `legal` of a turn. This is the place for your own ideas.
    // Here: low cards, many at once; sets are not broken, jokers are kept.
    static int Choose(XElement turn)
    {
        int best = 0, number = 0; // 0: something else is asked, or nothing is listed
        double lowest = double.MaxValue;
        List<int> held = Strengths(turn, turn.Element("held"));
        foreach (XElement entry in Items(turn, "legal"))
        {
            List<int> own = Strengths(turn, entry.Element("cards"));
            double left = held.Count(own.Contains) - own.Count;
            double cost = own.Count == 0 ? lowest : own.Average() - own.Count + 4 * left;
            if (cost < lowest) { best = number; lowest = cost; }
            number++;
        }
        return best;
    }

    static List<int> Strengths(XElement turn, XElement cards)
    {
        if (cards == null) return new List<int>();
        bool reversed = Text(turn, "order") == "reversed"; // a revolution: the 3 is high
        return cards.Elements().Select(card => {
            int rank = "3456789TJQKA2".IndexOf(card.Value[1]);
            return card.Value == "JK" ? 50 : reversed ? 12 - rank : rank;
        }).ToList();
    }

    static IEnumerable<XElement> Items(XElement from, string member)
    {
        XElement found = from.Element(member);
        return found == null ? new XElement[0] : found.Elements();
    }

    static string Text(XElement from, string member)
    {
        XElement found = from.Element(member);
        return found == null ? "" : found.Value;
    }
}
