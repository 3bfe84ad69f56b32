import java.io.File;
import java.util.Arrays;
import org.codehaus.janino.JavaSourceClassLoader;

/** Runs a main class from a folder of sources, which may use each other. Arguments: folder, class, its arguments. */
public class Launcher {
    public static void main(String[] args) throws Exception {
        File[] folders = new File[] {new File(args[0])};
        ClassLoader loader = new JavaSourceClassLoader(Launcher.class.getClassLoader(), folders, "UTF-8");
        String[] rest = (String[]) Arrays.copyOfRange(args, 2, args.length);
        Thread.currentThread().setContextClassLoader(Launcher.class.getClassLoader());
        loader.loadClass(args[1]).getMethod("main", new Class[] {String[].class}).invoke(null, new Object[] {rest});
    }
}
