//! A message of RTPS or DDS-XRCE: a row for each submessage.

use super::Reader;
use crate::bytes::{Order, payload_hash};
use crate::own;
use crate::rows::{Row, XRCE_KINDS, fault, protocol};
use crate::rtps::{self, Body, Fragment, is_builtin};
use crate::table::Sink;
use crate::xrce;

/// Bytes before the serialised data of a payload of DDS.
const ENCAPSULATION: usize = 4;

impl<S: Sink> Reader<S> {
    /// A message of RTPS.
    pub(super) fn rtps_message(&mut self, row: Row, message: &[u8], whole_bytes: usize) {
        let row =
            Row { protocol: Some(protocol::RTPS), message_bytes: Some(whole_bytes as u32), ..row };
        let Some(header) = rtps::Header::read(message) else { return self.emit(row) };
        let mut row = Row { source: self.prefix(header.prefix), ..row };
        let mut submessages = rtps::Submessages::of(message);
        let first = self.part;
        for submessage in submessages.by_ref() {
            match submessage.body {
                Body::Time(time) => row.source_ns = time,
                Body::Destination(prefix) => {
                    row.destination = self.prefix(prefix);
                    let known = prefix != rtps::Prefix::default();
                    if let (Some(one), Some(other), true) = (row.source, row.destination, known) {
                        self.domains.link(one, other);
                    }
                }
                Body::Source(prefix) => row.source = self.prefix(prefix),
                _ => (),
            }
            let mut one = Row {
                kind: Some(u16::from(submessage.id)),
                bytes: Some(submessage.bytes as u32),
                flags: Some(submessage.flags),
                ..row
            };
            self.rtps_submessage(&mut one, &submessage);
            self.emit(one);
        }
        self.ends_well(row, submessages.is_cut_off(), message.len() < whole_bytes, first);
    }

    /// Counts a message that ends within a submessage, and emits a row where it had none.
    fn ends_well(&mut self, row: Row, cut_off: bool, not_captured: bool, first: u16) {
        let malformed = cut_off && !not_captured;
        self.summary.noticed.malformed_messages += u64::from(malformed);
        if self.part == first {
            let faults = row.faults.unwrap_or(0) | if malformed { fault::MALFORMED } else { 0 };
            self.emit(Row { faults: Some(faults), ..row });
        }
    }

    fn rtps_submessage(&mut self, row: &mut Row, submessage: &rtps::Submessage<'_>) {
        let mut ends = |reader: u32, writer: u32| {
            (row.reader, row.writer) = (Some(reader), Some(writer));
            row.builtin = Some(is_builtin(writer));
        };
        match submessage.body {
            Body::Data { reader, writer, seq, payload, fragment } => {
                ends(reader, writer);
                (row.first_seq, row.last_seq) = (Some(seq), Some(seq));
                let number = fragment.map_or(seq, |fragment| {
                    seq.saturating_mul(1 << 16).saturating_add(i64::from(fragment.first))
                });
                let key = (row.flow.unwrap_or(u32::MAX), row.source.unwrap_or(u32::MAX), writer);
                row.repeated =
                    Some(self.is_repeated((key.0, key.1, key.2, fragment.is_some()), number));
                // A key alone is no sample.
                if let Some(payload) = payload
                    && (fragment.is_some() || submessage.flags & 4 != 0)
                {
                    // The length of what was cut off is known all the same.
                    let here = submessage.bytes.saturating_sub(submessage.captured);
                    if let (true, Some(source), Some(topic)) =
                        (is_builtin(writer), row.source, &self.options.topic)
                        && fragment.is_none_or(|fragment| fragment.first == 1)
                    {
                        let cut_off = here > 0 && rtps::names_topics(writer);
                        self.domains.announce(source, payload, topic, cut_off);
                    }
                    self.payload(row, payload, here, fragment);
                    if let (true, 0, Some(source)) = (self.options.contents, here, row.source)
                        && !is_builtin(writer)
                    {
                        self.contents.add((source, writer), seq, payload, fragment);
                    }
                }
            }
            Body::Heartbeat { reader, writer, first, last, count } => {
                ends(reader, writer);
                (row.first_seq, row.last_seq, row.count) = (Some(first), Some(last), Some(count));
            }
            Body::AckNack { reader, writer, base, missing, last, count } => {
                ends(reader, writer);
                (row.first_seq, row.last_seq, row.count) = (Some(base), Some(last), Some(count));
                row.missing = Some(missing);
            }
            Body::Gap { reader, writer, first, last } => {
                ends(reader, writer);
                (row.first_seq, row.last_seq) = (Some(first), Some(last));
            }
            Body::NackFrag { reader, writer, seq, first_fragment, missing, count } => {
                ends(reader, writer);
                (row.first_seq, row.last_seq, row.count) = (Some(seq), Some(seq), Some(count));
                (row.fragment, row.missing) = (Some(first_fragment), Some(missing));
            }
            Body::HeartbeatFrag { reader, writer, seq, last_fragment, count } => {
                ends(reader, writer);
                (row.first_seq, row.last_seq, row.count) = (Some(seq), Some(seq), Some(count));
                row.fragment = Some(last_fragment);
            }
            Body::Malformed => self.malformed(row),
            Body::Time(_) | Body::Destination(_) | Body::Source(_) | Body::Other => (),
        }
    }

    fn malformed(&mut self, row: &mut Row) {
        let faults = row.faults.unwrap_or(0);
        // What was not captured cannot be read; that is no fault of the message.
        if faults & fault::CUT_OFF == 0 {
            self.summary.noticed.malformed_messages += 1;
            row.faults = Some(faults | fault::MALFORMED);
        }
    }

    fn payload(&self, row: &mut Row, payload: &[u8], missing: usize, fragment: Option<Fragment>) {
        let first = fragment.is_none_or(|fragment| fragment.first == 1);
        let head = if first { ENCAPSULATION.min(payload.len()) } else { 0 };
        let data = &payload[head..];
        row.payload_bytes = Some((data.len() + missing) as u32);
        if let Some(fragment) = fragment {
            let size = u32::from(fragment.bytes).max(1);
            row.fragment = Some(fragment.first);
            row.fragments = Some(fragment.sample_bytes.div_ceil(size));
            row.count = Some(u32::from(fragment.count));
        }
        if !first {
            return;
        }
        let whole = fragment.map_or(data.len() + missing, |fragment| {
            (fragment.sample_bytes as usize).saturating_sub(ENCAPSULATION)
        });
        let needed = whole.min(crate::bytes::HASHED_BYTES);
        if data.len() >= needed {
            row.payload_hash = Some(payload_hash(data, whole));
        }
        let sample = own::header_in_cdr(payload, self.options.cookie);
        if let Some(sample) = sample.or_else(|| self.sample_within(payload)) {
            *row = row.with_sample(&sample);
        }
    }

    /// A sample of the run behind other fields of its type.
    fn sample_within(&self, payload: &[u8]) -> Option<own::Sample> {
        Some(own::search(payload, self.options.cookie?)?.1)
    }

    /// A message of DDS-XRCE.
    pub(super) fn xrce_message(&mut self, row: Row, id: u32, message: &[u8], whole_bytes: usize) {
        if let Some(flow) = self.flows.get_mut(id) {
            flow.xrce_messages += 1;
        }
        let row =
            Row { protocol: Some(protocol::XRCE), message_bytes: Some(whole_bytes as u32), ..row };
        let Some(header) = xrce::Header::read(message) else {
            self.unread(&row, id);
            return self.emit(row);
        };
        let mut row = Row {
            session: Some(header.session),
            stream: Some(header.stream),
            client_key: header.client_key,
            ..row
        };
        if header.stream != 0 {
            let (number, repeated) =
                self.streams.note((id, header.session, header.stream), header.seq);
            (row.first_seq, row.last_seq) = (Some(number), Some(number));
            row.repeated = Some(repeated);
        }
        let mut submessages = xrce::Submessages::of(message, header.bytes);
        let first = self.part;
        for submessage in submessages.by_ref() {
            self.xrce_submessage(row, id, &submessage);
        }
        if self.part == first {
            self.unread(&row, id);
        }
        self.ends_well(row, submessages.is_cut_off(), message.len() < whole_bytes, first);
    }

    fn xrce_submessage(&mut self, row: Row, id: u32, submessage: &xrce::Submessage<'_>) {
        let mut one = Row {
            kind: Some(XRCE_KINDS + u16::from(submessage.id)),
            bytes: Some(submessage.bytes as u32),
            flags: Some(submessage.flags),
            ..row
        };
        let session = row.session.unwrap_or(0);
        let mut whole = None;
        match submessage.body {
            xrce::Body::CreateClient { client_key, session } => {
                self.streams.begin_session(id, self.flows.reverse(id));
                (one.client_key, one.session) = (Some(client_key), Some(session));
            }
            xrce::Body::Data { request, object, payload } => {
                (one.reader, one.writer) = (Some(request.into()), Some(object.into()));
                self.xrce_payload(&mut one, payload, submessage.bytes.saturating_sub(8));
            }
            xrce::Body::AckNack { first_unacked, missing, asked, stream } => {
                let reverse = self.flows.reverse(id).unwrap_or(u32::MAX);
                let first = self.streams.referred((reverse, session, stream), first_unacked);
                (one.stream, one.missing, one.asked) = (Some(stream), Some(missing), Some(asked));
                (one.first_seq, one.last_seq) = (Some(first), Some(first - 1));
            }
            xrce::Body::Heartbeat { first_unacked, last, stream } => {
                let refer = |seq| self.streams.referred((id, session, stream), seq);
                one.stream = Some(stream);
                (one.first_seq, one.last_seq) = (Some(refer(first_unacked)), Some(refer(last)));
            }
            xrce::Body::Fragment { payload, last } => {
                one.payload_bytes = Some(payload.len() as u32);
                let stream = row.stream.unwrap_or(0);
                if let (Some(number), Some(false)) = (row.first_seq, row.repeated) {
                    let begun = row.begun_ns.or(row.time_ns).unwrap_or(0);
                    whole =
                        self.streams.fragment((id, session, stream), number, payload, last, begun);
                }
            }
            xrce::Body::Request { request, object } => {
                (one.reader, one.writer) = (Some(request.into()), Some(object.into()));
            }
            xrce::Body::Malformed => {
                self.malformed(&mut one);
                self.unread(&one, id);
            }
            xrce::Body::Other => (),
        }
        self.emit(one);
        if let Some(whole) = whole {
            self.xrce_fragments(row, id, &whole);
        }
    }

    /// Counts a message of which too little was captured.
    fn unread(&mut self, row: &Row, id: u32) {
        let cut_off = row.faults.unwrap_or(0) & fault::CUT_OFF != 0;
        if let Some(flow) = self.flows.get_mut(id) {
            flow.unread_messages += u64::from(cut_off);
        }
    }

    /// Submessages that came in fragments. None of them is a fragment again.
    fn xrce_fragments(&mut self, row: Row, id: u32, whole: &crate::xrce_stream::Whole) {
        let row = Row { first_seq: Some(whole.first), begun_ns: Some(whole.begun_ns), ..row };
        let endless = Order::Little.u16(&whole.data, 2) == Some(0);
        if endless && matches!(whole.data.first(), Some(&(xrce::id::WRITE_DATA | xrce::id::DATA))) {
            // Longer than the length of a submessage can say: up to the end.
            let mut one = Row {
                kind: Some(XRCE_KINDS + u16::from(whole.data[0])),
                bytes: Some(whole.data.len() as u32),
                ..row
            };
            let payload = whole.data.get(8..).unwrap_or(&[]);
            self.xrce_payload(&mut one, payload, payload.len());
            return self.emit(one);
        }
        for submessage in xrce::Submessages::of(&whole.data, 0) {
            if submessage.id != xrce::id::FRAGMENT {
                self.xrce_submessage(row, id, &submessage);
            }
        }
    }

    fn xrce_payload(&self, row: &mut Row, payload: &[u8], whole_bytes: usize) {
        row.payload_bytes = Some(whole_bytes as u32);
        if payload.len() >= whole_bytes.min(crate::bytes::HASHED_BYTES) {
            row.payload_hash = Some(payload_hash(payload, whole_bytes));
        }
        let sample = own::header(payload, self.options.cookie);
        if let Some(sample) = sample.or_else(|| self.sample_within(payload)) {
            *row = row.with_sample(&sample);
        }
    }
}
