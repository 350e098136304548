import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.languagetool.JLanguageTool;
import org.languagetool.Languages;
import org.languagetool.rules.Rule;
import org.languagetool.rules.RuleMatch;
import org.languagetool.rules.spelling.SpellingCheckRule;

/**
 * Checks sentences with LanguageTool. A line of the standard input is a place, a tab and a sentence; a line of the
 * output is a place, a rule, a message and the words in question, with tabs between them. The arguments are a file of
 * known words and a file of rules to skip.
 */
final class Check {
    private Check() {}

    public static void main(String[] arguments) throws IOException {
        JLanguageTool tool = new JLanguageTool(Languages.getLanguageForShortCode("en-GB"));
        List<String> words = lines(arguments[0]);
        for (Rule rule : tool.getAllActiveRules()) {
            if (rule instanceof SpellingCheckRule) {
                ((SpellingCheckRule) rule).addIgnoreTokens(words);
            }
        }
        tool.disableRules(lines(arguments[1]));
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            int tab = line.indexOf('\t');
            String sentence = line.substring(tab + 1);
            for (RuleMatch match : tool.check(sentence)) {
                System.out.println(String.join("\t", line.substring(0, tab), match.getRule().getId(),
                        match.getMessage().replaceAll("</?suggestion>", "\""),
                        sentence.substring(match.getFromPos(), match.getToPos()), sentence));
            }
        }
    }

    /** The lines of a file, without comments and what stands behind a word. */
    private static List<String> lines(String file) throws IOException {
        return Files.readAllLines(Path.of(file)).stream()
                .map(line -> line.replaceAll("\\s*#.*", ""))
                .filter(line -> !line.isEmpty())
                .toList();
    }
}
