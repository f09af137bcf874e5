"""A node as users of rclpy write one: publishers, subscriptions with callbacks, and an executor that a thread spins.

It runs in the process of the adapter, which calls what is here.
"""

import array
import threading

import rclpy
from busmark_msgs.msg import Sample
from rclpy.context import Context
from rclpy.duration import Duration
from rclpy.event_handler import PublisherEventCallbacks, SubscriptionEventCallbacks
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor, SingleThreadedExecutor
from rclpy.experimental import EventsExecutor
from rclpy.qos import QoSProfile
from rclpy.signals import SignalHandlerOptions

EXECUTORS = {"single": SingleThreadedExecutor, "multi": MultiThreadedExecutor, "events": EventsExecutor}


class Node:
    """A context with one node and the executor that spins it."""

    def __init__(self, name, domain, executor):
        self.context = Context()
        # Logs as files would be in the user's home.
        rclpy.init(
            args=["--ros-args", "--disable-external-lib-logs"],
            context=self.context,
            domain_id=domain,
            signal_handler_options=SignalHandlerOptions.NO,
        )
        self.node = rclpy.create_node(name, context=self.context)
        self.executor = EXECUTORS[executor](context=self.context)
        self.executor.add_node(self.node)
        self.thread = threading.Thread(target=self.spin, daemon=True)
        self.thread.start()

    def spin(self):
        try:
            self.executor.spin()
        except ExternalShutdownException:
            pass
        except Exception:
            # Before it waits, rclpy does not expect that the context has been shut down.
            if self.context.ok():
                raise

    def close(self):
        rclpy.shutdown(context=self.context)
        self.thread.join()
        self.executor.shutdown()
        self.node.destroy_node()


def profile(history, depth, reliability, durability, deadline_ns, lifespan_ns):
    return QoSProfile(
        history=history,
        depth=depth,
        reliability=reliability,
        durability=durability,
        deadline=Duration(nanoseconds=deadline_ns),
        lifespan=Duration(nanoseconds=lifespan_ns),
    )


class Endpoint:
    """What both ends have: how often a deadline was missed."""

    missed = 0

    def count_missed(self, event):
        self.missed = event.total_count


class Writer(Endpoint):
    """A publisher."""

    def __init__(self, owner, topic, deadline, qos):
        self.node = owner.node
        events = PublisherEventCallbacks(deadline=self.count_missed) if deadline else None
        self.publisher = self.node.create_publisher(Sample, topic, profile(*qos), event_callbacks=events)

    def prepare(self, body):
        return Sample(body=array.array("B", body))

    def write(
        self, message, cookie, seq, intended_ns, sent_ns, echo_sent_ns, echo_delivered_ns, echo_read_ns, writer_id, flags
    ):
        message.cookie = cookie
        message.seq = seq
        message.intended_ns = intended_ns
        message.sent_ns = sent_ns
        message.echo_sent_ns = echo_sent_ns
        message.echo_delivered_ns = echo_delivered_ns
        message.echo_read_ns = echo_read_ns
        message.writer_id = writer_id
        message.flags = flags
        self.publisher.publish(message)

    def matched(self):
        return self.publisher.get_subscription_count()

    def close(self):
        self.node.destroy_publisher(self.publisher)


class Reader(Endpoint):
    """A subscription, whose callback hands each message to the adapter."""

    def __init__(self, owner, topic, deadline, qos, deliver):
        self.node = owner.node
        self.deliver = deliver
        events = SubscriptionEventCallbacks(deadline=self.count_missed) if deadline else None
        self.subscription = self.node.create_subscription(
            Sample, topic, self.callback, profile(*qos), event_callbacks=events
        )

    def callback(self, message, info):
        self.deliver(
            message.body,
            info["source_timestamp"],
            info["received_timestamp"],
            message.cookie,
            message.seq,
            message.intended_ns,
            message.sent_ns,
            message.echo_sent_ns,
            message.echo_delivered_ns,
            message.echo_read_ns,
            message.writer_id,
            message.flags,
        )

    def matched(self):
        return self.subscription.get_publisher_count()

    def close(self):
        self.node.destroy_subscription(self.subscription)
