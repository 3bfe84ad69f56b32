import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.protocol.Errors;

/** Kafka's error codes, one a line: code, name, and whether its exception is a retriable one. */
public class ErrorsOracle {
    public static void main(String[] arguments) {
        Errors[] every = Errors.values();
        for (int at = 0; at < every.length; at++) {
            boolean retriable = every[at].exception() instanceof RetriableException;
            System.out.println(every[at].code() + " " + every[at].name() + " " + retriable);
        }
    }
}
