// The smallest round trip and the smallest stream over omniEvents, the event service of CORBA: the system's
// libraries, the type, the ORB's parameters and the channels of Busmark's adapter omnievents, and nothing of
// Busmark. The server is the one that --server names, and new: the passive side makes the channels.
#include "orb.hpp"

#include <bare_corba.hh>

#include <COS/CosEventChannelAdmin.hh>
#include <COS/CosLifeCycle.hh>

#include <cstring>
#include <memory>

namespace {

using CosEventChannelAdmin::EventChannel;
using CosEventChannelAdmin::EventChannel_var;

/// Between two transfers from a channel's input to its output; as shipped 100 ms.
constexpr CORBA::ULong cycle_ns = 1'000'000;
/// As shipped.
constexpr CORBA::ULong queue_length = 1023;

/// A sample within the event that it is sent as, an any.
class Writer {
public:
    Writer(CosEventChannelAdmin::ProxyPushConsumer_ptr to, size_t bytes)
        : to_(to), sample_(new busmark::OctetSample) {
        sample_->body.length(static_cast<CORBA::ULong>(bytes));
        std::memset(sample_->body.get_buffer(), 1, bytes);
        event_ <<= sample_;
    }

    bool write(const bare::Header &header) {
        std::memcpy(static_cast<void *>(&sample_->header), &header, sizeof header);
        try {
            to_->push(event_);
            return true;
        } catch (const CORBA::Exception &) {
            return false;
        }
    }
    bool matched() const { return true; } // the channel is there, whoever reads
    void finish(std::chrono::milliseconds) {} // a call returns when the server has the sample

private:
    CosEventChannelAdmin::ProxyPushConsumer_var to_;
    CORBA::Any event_;
    busmark::OctetSample *sample_; // of event_
};

template <class OnSample> class Reader : public POA_CosEventComm::PushConsumer {
public:
    explicit Reader(OnSample on_sample) : on_sample_(on_sample) {}

    void push(const CORBA::Any &event) override {
        const busmark::OctetSample *sample = nullptr;
        if (!(event >>= sample)) return;
        bare::Header header;
        std::memcpy(static_cast<void *>(&header), &sample->header, sizeof header);
        on_sample_(header);
    }
    void disconnect_push_consumer() override {}
    bool matched() const { return true; } // as above

private:
    OnSample on_sample_;
};

template <class Value> void add(CosLifeCycle::Criteria &criteria, const char *name, Value value) {
    const CORBA::ULong n = criteria.length();
    criteria.length(n + 1);
    criteria[n].name = name;
    criteria[n].value <<= value;
}

class Library {
public:
    explicit Library(const bare::Options &options)
        : options_(options), orb_(bare::start_orb()), poa_(bare::serial_adapter(orb_)) {}
    ~Library() { orb_->destroy(); }
    Library(const Library &) = delete;
    Library &operator=(const Library &) = delete;

    std::string address() const { return options_.server; }

    std::unique_ptr<Writer> writer(const char *name, size_t bytes) {
        const CosEventChannelAdmin::SupplierAdmin_var admin = channel(name)->for_suppliers();
        CosEventChannelAdmin::ProxyPushConsumer_var proxy = admin->obtain_push_consumer();
        proxy->connect_push_supplier(CosEventComm::PushSupplier::_nil());
        return std::make_unique<Writer>(proxy._retn(), bytes);
    }

    /// The object ends, and no call of it is under way, before the servant does.
    template <class OnSample> auto reader(const char *name, OnSample on_sample) {
        auto servant = std::make_unique<Reader<OnSample>>(on_sample);
        const PortableServer::ObjectId_var id = poa_->activate_object(servant.get());
        const CORBA::Object_var object = poa_->id_to_reference(id);
        const CosEventComm::PushConsumer_var self = CosEventComm::PushConsumer::_narrow(object);
        const CosEventChannelAdmin::ConsumerAdmin_var admin = channel(name)->for_consumers();
        from_ = admin->obtain_push_supplier();
        from_->connect_push_consumer(self);
        const auto end = [this](Reader<OnSample> *reader) {
            from_->disconnect_push_supplier();
            poa_->destroy(true, true);
            reader->_remove_ref();
        };
        return std::unique_ptr<Reader<OnSample>, decltype(end)>(servant.release(), end);
    }

private:
    CORBA::Object_var at_server(const std::string &key) const {
        const std::string text = "corbaloc::" + options_.server + "/" + key;
        return orb_->string_to_object(text.c_str());
    }

    EventChannel_var channel(const std::string &name) const {
        if (options_.is_passive()) make(name);
        return EventChannel::_narrow(at_server(name));
    }

    void make(const std::string &name) const {
        const CosLifeCycle::GenericFactory_var factory =
            CosLifeCycle::GenericFactory::_narrow(at_server("omniEvents"));
        CosLifeCycle::Key kind;
        kind.length(1);
        kind[0].id = "EventChannel";
        kind[0].kind = "object interface";
        CosLifeCycle::Criteria criteria;
        add(criteria, "InsName", name.c_str());
        add(criteria, "CyclePeriod_ns", cycle_ns);
        add(criteria, "MaxQueueLength", queue_length);
        const CORBA::Object_var made = factory->create_object(kind, criteria);
    }

    const bare::Options options_;
    CORBA::ORB_var orb_;
    PortableServer::POA_var poa_;
    CosEventChannelAdmin::ProxyPushSupplier_var from_; // of the reader
};

} // namespace

int main(int argc, char **argv) { return bare::run_corba(argc, argv, bare::run<Library>); }
