"""A node as users of rclpy write one: its ends, and an executor that a thread spins.

It runs in the process of the adapter, which calls what is here.
"""

import array
import itertools
import queue
import threading

import rclpy
from busmark_msgs.msg import Sample
from busmark_msgs.srv import Call
from rclpy.context import Context
from rclpy.duration import Duration
from rclpy.event_handler import PublisherEventCallbacks, SubscriptionEventCallbacks
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor, SingleThreadedExecutor
from rclpy.qos import QoSProfile
from rclpy.signals import SignalHandlerOptions

EXECUTORS = {"single": SingleThreadedExecutor, "multi": MultiThreadedExecutor}


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


def with_header(
    message,
    cookie,
    seq,
    intended_ns,
    sent_ns,
    echo_sent_ns,
    echo_delivered_ns,
    echo_read_ns,
    writer_id,
    flags,
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
    return message


def members(message):
    return (
        message.body,
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


class Endpoint:
    """What all have: the class of what they send, and how often a deadline was missed."""

    missed = 0

    def count_missed(self, event):
        self.missed = event.total_count

    def prepare(self, body):
        return self.sends(body=array.array("B", body))


class Writer(Endpoint):
    """A publisher."""

    sends = Sample

    def __init__(self, owner, topic, deadline, qos):
        self.node = owner.node
        events = PublisherEventCallbacks(deadline=self.count_missed) if deadline else None
        self.publisher = self.node.create_publisher(
            Sample, topic, profile(*qos), event_callbacks=events
        )

    def send(self, message, *header):
        self.publisher.publish(with_header(message, *header))

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
        self.deliver(info["source_timestamp"], info["received_timestamp"], *members(message))

    def matched(self):
        return self.subscription.get_publisher_count()

    def close(self):
        self.node.destroy_subscription(self.subscription)


class Service(Endpoint):
    """An end of a service: callbacks queue requests or responses, with their numbers."""

    def __init__(self):
        self.numbers = itertools.count()
        self.arrived = queue.SimpleQueue()
        self.first = None

    def wait(self, timeout_s):
        if self.first is None:
            try:
                self.first = self.arrived.get(timeout=timeout_s)
            except queue.Empty:
                return False
        return True

    def take(self):
        if not self.wait(0):
            return None
        (number, message), self.first = self.first, None
        return number, *members(message)


class Client(Service):
    """A client, whose futures call back when they are done."""

    sends = Call.Request

    def __init__(self, owner, name, deadline, qos):
        super().__init__()
        self.node, self.name = owner.node, name
        self.pending = {}
        self.client = self.node.create_client(Call, name, qos_profile=profile(*qos))

    def send(self, request, *header):
        number = next(self.numbers)
        future = self.client.call_async(with_header(request, *header))
        self.pending[number] = future
        future.add_done_callback(lambda done: self.answered(number, done))
        return number

    def answered(self, number, future):
        self.pending.pop(number, None)
        self.arrived.put((number, future.result()))

    def drop(self, number):
        if future := self.pending.pop(number, None):
            self.client.remove_pending_request(future)
        return True

    def matched(self):
        return max(self.node.count_services(self.name), 1) if self.client.service_is_ready() else 0

    def close(self):
        self.node.destroy_client(self.client)


class Server(Service):
    """A server. rclpy answers when the callback returns; here the same function is called later."""

    sends = Call.Response

    def __init__(self, owner, name, deadline, qos):
        super().__init__()
        self.node, self.name = owner.node, name
        self.request = None
        self.unanswered = {}
        self.service = self.node.create_service(
            Call, name, self.callback, qos_profile=profile(*qos)
        )
        self.answer = self.service.send_response
        self.service.send_response = self.callback_returned

    def callback(self, request, response):
        self.request = request
        return response

    def callback_returned(self, response, header):
        number = next(self.numbers)
        self.unanswered[number] = header
        self.arrived.put((number, self.request))

    def send(self, response, number, *header):
        request = self.unanswered.pop(number, None)
        if request is None:
            return False
        try:
            self.answer(with_header(response, *header), request)
        except Exception:
            self.unanswered[number] = request
            raise
        return True

    def drop(self, number):
        return self.unanswered.pop(number, None) is not None

    def matched(self):
        return self.node.count_clients(self.name)

    def close(self):
        self.node.destroy_service(self.service)
