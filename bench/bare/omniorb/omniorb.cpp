// The smallest round trip and the smallest stream over omniORB: the system's library, the type, the ORB's
// parameters, one-way calls and the connections of Busmark's adapter, and nothing of Busmark.
#include "orb.hpp"

#include <bare_corba.hh>

#include <atomic>
#include <cstring>
#include <memory>

namespace {

using bare_corba::Consumer;

/// A connection of its own, with one thread at its end, that is not closed when it is idle.
bare_corba::Consumer_ptr own_connection(CORBA::Object_ptr to) {
    static CORBA::ULong number = 0;
    const CORBA::Object_var own =
        omniConnectionMgmt::makeRestrictedReference(to, ++number, 1, 1, false, false, true);
    const bare_corba::Consumer_var consumer = Consumer::_narrow(own);
    consumer->ready();
    return Consumer::_duplicate(consumer);
}

class Writer {
public:
    explicit Writer(size_t bytes) {
        sample_.body.length(static_cast<CORBA::ULong>(bytes));
        std::memset(sample_.body.get_buffer(), 1, bytes);
    }

    bool write(const bare::Header &header) {
        std::memcpy(static_cast<void *>(&sample_.header), &header, sizeof header);
        try {
            to_->push(sample_);
            return true;
        } catch (const CORBA::Exception &) {
            return false;
        }
    }
    void send_to(CORBA::Object_ptr consumer) {
        to_ = own_connection(consumer);
        matched_ = true;
    }
    bool matched() const { return matched_; }

    void finish(std::chrono::milliseconds) {} // a call returns when the system has the sample

private:
    busmark::OctetSample sample_;
    bare_corba::Consumer_var to_;
    std::atomic<bool> matched_{false};
};

template <class OnSample> class Reader : public POA_bare_corba::Consumer {
public:
    Reader(OnSample on_sample, Writer *answers) : on_sample_(on_sample), answers_(answers) {}

    void ready() override {}
    void answer_to(bare_corba::Consumer_ptr other) override { answers_->send_to(other); }
    void push(const busmark::OctetSample &sample) override {
        bare::Header header;
        std::memcpy(static_cast<void *>(&header), &sample.header, sizeof header);
        on_sample_(header);
    }
    bool matched() const { return true; } // the writer knows

private:
    OnSample on_sample_;
    Writer *answers_;
};

/// A sample with a body of that size.
busmark::OctetSample sample_of(size_t bytes) {
    busmark::OctetSample sample;
    sample.body.length(static_cast<CORBA::ULong>(bytes));
    std::memset(sample.body.get_buffer(), 1, bytes);
    return sample;
}

class Client {
public:
    Client(CORBA::Object_ptr server, size_t bytes) : request_(sample_of(bytes)) {
        const CORBA::Object_var own = omniConnectionMgmt::makeRestrictedReference(server, 1, 1, 1, false, false, true);
        to_ = bare_corba::Service::_narrow(own);
    }
    void call(const bare::Header &header) {
        std::memcpy(static_cast<void *>(&request_.header), &header, sizeof header);
        const busmark::OctetSample_var response = to_->call(request_);
        if (response->header.seq != header.seq) throw std::runtime_error("not the response to this request");
    }

private:
    busmark::OctetSample request_;
    bare_corba::Service_var to_;
};

class Service : public POA_bare_corba::Service {
public:
    explicit Service(size_t bytes) : body_(sample_of(bytes)) {}
    busmark::OctetSample *call(const busmark::OctetSample &request) override {
        busmark::OctetSample_var response = new busmark::OctetSample(body_);
        response->header = request.header;
        bare::Header header;
        std::memcpy(&header, &request.header, sizeof header);
        if (bare::is_last(header)) done_.set();
        return response._retn();
    }
    void wait() { done_.wait(); }

private:
    const busmark::OctetSample body_;
    bare::Signal done_;
};

class Library {
public:
    explicit Library(const bare::Options &options)
        : options_(options), orb_(bare::start_orb()), poa_(bare::serial_adapter(orb_)) {}
    ~Library() { orb_->destroy(); }
    Library(const Library &) = delete;
    Library &operator=(const Library &) = delete;

    std::string address() const { return address_; }

    std::unique_ptr<Writer> writer(const char *, size_t bytes) {
        auto writer = std::make_unique<Writer>(bytes);
        if (!options_.is_passive()) {
            peer_ = orb_->string_to_object(options_.address.c_str());
            writer->send_to(peer_);
        }
        writer_ = writer.get();
        return writer;
    }

    /// The object ends, and no call of it is under way, before the servant does.
    template <class OnSample> auto reader(const char *, OnSample on_sample) {
        auto servant = std::make_unique<Reader<OnSample>>(on_sample, writer_);
        const PortableServer::ObjectId_var id = poa_->activate_object(servant.get());
        const CORBA::Object_var object = poa_->id_to_reference(id);
        const CORBA::String_var text = orb_->object_to_string(object);
        address_ = text.in();
        if (!options_.is_passive()) {
            // By a connection besides the samples' one, as in the adapter: the system acknowledges
            // every second segment, so one more of them decides whether both directions do it at
            // once.
            const bare_corba::Consumer_var peer = Consumer::_narrow(peer_);
            const bare_corba::Consumer_var own = Consumer::_narrow(object);
            peer->answer_to(own);
        }
        const auto end = [this](Reader<OnSample> *reader) {
            poa_->destroy(true, true);
            reader->_remove_ref();
        };
        return std::unique_ptr<Reader<OnSample>, decltype(end)>(servant.release(), end);
    }

    std::unique_ptr<Client> client(size_t bytes) {
        const CORBA::Object_var server = orb_->string_to_object(options_.address.c_str());
        return std::make_unique<Client>(server, bytes);
    }

    template <class Ready> void serve(size_t bytes, Ready ready) {
        auto *servant = new Service(bytes);
        const PortableServer::ObjectId_var id = poa_->activate_object(servant);
        const CORBA::Object_var object = poa_->id_to_reference(id);
        const CORBA::String_var text = orb_->object_to_string(object);
        address_ = text.in();
        ready();
        servant->wait();
        // Its last response leaves before.
        poa_->destroy(true, true);
        servant->_remove_ref();
    }

private:
    const bare::Options options_;
    CORBA::ORB_var orb_;
    PortableServer::POA_var poa_;
    CORBA::Object_var peer_; // of the active side
    Writer *writer_ = nullptr;
    std::string address_;
};

} // namespace

int main(int argc, char **argv) { return bare::run_corba(argc, argv, bare::run_with_services<Library>); }
