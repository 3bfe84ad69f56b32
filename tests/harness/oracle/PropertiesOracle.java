import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import javax.security.auth.login.AppConfigurationEntry;
import org.apache.kafka.common.config.types.Password;
import org.apache.kafka.common.security.JaasContext;

/** Files of properties, one per line of a file as hexadecimal digits: what Java reads, and Kafka in sasl.jaas.config. */
public class PropertiesOracle {
    public static void main(String[] arguments) throws Exception {
        for (Object each : Files.readAllLines(Paths.get(arguments[0]))) {
            String hex = (String) each;
            byte[] content = new byte[hex.length() / 2];
            for (int i = 0; i < content.length; i++) {
                content[i] = (byte) Integer.parseInt(hex.substring(2 * i, 2 * i + 2), 16);
            }
            Map row = Lines.row("properties");
            try {
                Properties found = new Properties();
                found.load(new ByteArrayInputStream(content));
                row.put("found", new HashMap(found));
                if (found.containsKey("sasl.jaas.config")) module(row, found.getProperty("sasl.jaas.config"));
            } catch (IllegalArgumentException error) {
                Lines.failed(row, error);
            }
            Lines.print(row);
        }
    }

    private static void module(Map row, String text) {
        Map configs = new HashMap();
        configs.put("sasl.jaas.config", new Password(text));
        row.put("module", null);
        try {
            List entries = JaasContext.loadClientContext(configs).configurationEntries();
            AppConfigurationEntry entry = (AppConfigurationEntry) entries.get(0);
            // Kafka takes a number or a sign for the name of an option, and has no text of it.
            if (entry.getOptions().containsKey(null)) throw new IllegalArgumentException();
            row.put("module", entry.getLoginModuleName());
            row.put("options", entry.getOptions());
        } catch (RuntimeException error) {
            row.put("refused", error.getClass().getSimpleName());
        }
    }
}
