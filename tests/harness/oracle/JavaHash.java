import java.io.BufferedReader;
import java.io.InputStreamReader;

/** String.hashCode of each line of stdin, which is UTF-8 as hexadecimal digits. */
public class JavaHash {
    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, "US-ASCII"));
        StringBuilder out = new StringBuilder();
        for (String hex = lines.readLine(); hex != null; hex = lines.readLine()) {
            byte[] utf8 = new byte[hex.length() / 2];
            for (int i = 0; i < utf8.length; i++) {
                utf8[i] = (byte) Integer.parseInt(hex.substring(2 * i, 2 * i + 2), 16);
            }
            out.append(new String(utf8, "UTF-8").hashCode()).append('\n');
        }
        System.out.print(out);
    }
}
