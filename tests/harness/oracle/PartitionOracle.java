import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeProducersOptions;
import org.apache.kafka.clients.admin.DescribeProducersResult;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;

/**
 * What the leaders of partitions know, internal topics included, and transactions with their coordinators.
 *
 * A partition without a leader has `error` once the client's patience is over, in each of the kinds.
 */
public class PartitionOracle extends Lines {
    static final List KINDS =
        Arrays.asList(
            new Object[] {
                "earliest", "latest", "last_stable", "max_timestamp", "producer", "described_transaction",
                "transaction_coordinator"});
    private static final Integer TIMEOUT_MS = Integer.valueOf(5000);

    static void ask(Admin admin, String kind) throws Exception {
        if (kind.equals("earliest")) offsets(admin, kind, OffsetSpec.earliest(), IsolationLevel.READ_UNCOMMITTED);
        if (kind.equals("latest")) offsets(admin, kind, OffsetSpec.latest(), IsolationLevel.READ_UNCOMMITTED);
        if (kind.equals("last_stable")) offsets(admin, kind, OffsetSpec.latest(), IsolationLevel.READ_COMMITTED);
        if (kind.equals("max_timestamp"))
            offsets(admin, kind, OffsetSpec.maxTimestamp(), IsolationLevel.READ_UNCOMMITTED);
        if (kind.equals("producer")) producers(admin);
        if (kind.equals("described_transaction")) transactions(admin);
        if (kind.equals("transaction_coordinator")) coordinators(admin);
    }

    private static List partitions(Admin admin) throws Exception {
        Collection names = (Collection) admin.listTopics(new ListTopicsOptions().listInternal(true)).names().get();
        List found = new ArrayList();
        for (Object each : ((Map) admin.describeTopics(names).allTopicNames().get()).values()) {
            TopicDescription topic = (TopicDescription) each;
            for (Object one : topic.partitions())
                found.add(new TopicPartition(topic.name(), ((TopicPartitionInfo) one).partition()));
        }
        return found;
    }

    private static Map at(String kind, Object partition) {
        Map row = row(kind);
        row.put("topic", ((TopicPartition) partition).topic());
        row.put("partition", Integer.valueOf(((TopicPartition) partition).partition()));
        return row;
    }

    private static void offsets(Admin admin, String kind, OffsetSpec spec, IsolationLevel isolation) throws Exception {
        Map specs = new HashMap();
        for (Object partition : partitions(admin)) specs.put(partition, spec);
        ListOffsetsOptions options = new ListOffsetsOptions(isolation);
        options.timeoutMs(TIMEOUT_MS);
        ListOffsetsResult found = admin.listOffsets(specs, options);
        for (Object partition : specs.keySet()) {
            Map row = at(kind, partition);
            try {
                ListOffsetsResult.ListOffsetsResultInfo info =
                    (ListOffsetsResult.ListOffsetsResultInfo) found.partitionResult((TopicPartition) partition).get();
                row.put("offset", found(info.offset()));
                row.put("timestamp", found(info.timestamp()));
                row.put("leader_epoch", info.leaderEpoch().orElse(null));
            } catch (ExecutionException error) {
                failed(row, error.getCause());
            }
            print(row);
        }
    }

    /** Null for -1: there is no such record, or nobody looked. */
    private static Long found(long value) {
        return value < 0 ? null : Long.valueOf(value);
    }

    private static void producers(Admin admin) throws Exception {
        List partitions = partitions(admin);
        DescribeProducersOptions options = new DescribeProducersOptions();
        options.timeoutMs(TIMEOUT_MS);
        DescribeProducersResult found = admin.describeProducers(partitions, options);
        for (Object partition : partitions) {
            try {
                DescribeProducersResult.PartitionProducerState state =
                    (DescribeProducersResult.PartitionProducerState)
                        found.partitionResult((TopicPartition) partition).get();
                if (state.activeProducers().isEmpty()) print(at("producer", partition));
                for (Object one : state.activeProducers()) print(producer(partition, (ProducerState) one));
            } catch (ExecutionException error) {
                print(failed(at("producer", partition), error.getCause()));
            }
        }
    }

    private static Map producer(Object partition, ProducerState producer) {
        OptionalInt coordinator = producer.coordinatorEpoch();
        OptionalLong start = producer.currentTransactionStartOffset();
        Map row = at("producer", partition);
        row.put("producer_id", Long.valueOf(producer.producerId()));
        row.put("producer_epoch", Integer.valueOf(producer.producerEpoch()));
        row.put("last_sequence", Integer.valueOf(producer.lastSequence()));
        row.put("last_timestamp", Long.valueOf(producer.lastTimestamp()));
        row.put("coordinator_epoch", coordinator.isPresent() ? Integer.valueOf(coordinator.getAsInt()) : null);
        row.put("current_txn_start_offset", start.isPresent() ? Long.valueOf(start.getAsLong()) : null);
        return row;
    }

    private static Map described(Admin admin) throws Exception {
        List ids = new ArrayList();
        for (Object each : (Collection) admin.listTransactions().all().get())
            ids.add(((TransactionListing) each).transactionalId());
        return (Map) admin.describeTransactions(ids).all().get();
    }

    private static void transactions(Admin admin) throws Exception {
        for (Object each : described(admin).entrySet()) {
            TransactionDescription transaction = (TransactionDescription) ((Map.Entry) each).getValue();
            Collection partitions = transaction.topicPartitions();
            if (partitions.isEmpty()) print(transaction(each, row("described_transaction")));
            for (Object partition : partitions) print(transaction(each, at("described_transaction", partition)));
        }
    }

    private static Map transaction(Object entry, Map row) {
        TransactionDescription transaction = (TransactionDescription) ((Map.Entry) entry).getValue();
        OptionalLong start = transaction.transactionStartTimeMs();
        row.put("transactional_id", ((Map.Entry) entry).getKey());
        row.put("transaction_state", transaction.state().toString());
        row.put("transaction_timeout_ms", Long.valueOf(transaction.transactionTimeoutMs()));
        row.put("transaction_start_time_ms", start.isPresent() ? Long.valueOf(start.getAsLong()) : null);
        row.put("producer_id", Long.valueOf(transaction.producerId()));
        row.put("producer_epoch", Integer.valueOf(transaction.producerEpoch()));
        return row;
    }

    private static void coordinators(Admin admin) throws Exception {
        for (Object each : described(admin).entrySet()) {
            TransactionDescription transaction = (TransactionDescription) ((Map.Entry) each).getValue();
            Map row = row("transaction_coordinator");
            row.put("key", ((Map.Entry) each).getKey());
            row.put("node_id", Integer.valueOf(transaction.coordinatorId()));
            print(row);
        }
    }
}
