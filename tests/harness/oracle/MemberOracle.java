import java.util.Collections;
import java.util.Map;
import java.util.Set;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.coordinator.group.modern.Assignment;
import org.apache.kafka.coordinator.group.modern.consumer.ConsumerGroupMember;
import org.apache.kafka.image.TopicsDelta;
import org.apache.kafka.image.TopicsImage;

/** The partitions with which 3.9 describes a member that has partition 0, and has still to give up partition 1. */
public class MemberOracle {
    public static void main(String[] arguments) {
        Uuid topic = Uuid.randomUuid();
        TopicsDelta topics = new TopicsDelta(TopicsImage.EMPTY);
        topics.replay(new TopicRecord().setName("t").setTopicId(topic));
        ConsumerGroupMember member = new ConsumerGroupMember.Builder("m")
            .setAssignedPartitions(only(topic, 0))
            .setPartitionsPendingRevocation(only(topic, 1))
            .setSubscribedTopicNames(Collections.EMPTY_LIST)
            .build();
        ConsumerGroupDescribeResponseData.Member described =
            member.asConsumerGroupDescribeMember(Assignment.EMPTY, topics.apply());
        System.out.println(described.assignment().topicPartitions());
    }

    private static Map only(Uuid topic, int partition) {
        Set partitions = Collections.singleton(Integer.valueOf(partition));
        return Collections.singletonMap(topic, partitions);
    }
}
