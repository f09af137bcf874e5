#include "python.hpp"

#include <dlfcn.h>

#include <mutex>
#include <sstream>

extern "C" PyObject *PyInit_busmark_msgs_s__rosidl_typesupport_c();

namespace ros_adapter {

namespace {

using busmark::Error;

constexpr const char *converters = "busmark_msgs.busmark_msgs_s__rosidl_typesupport_c";

/// The folder of this library, which stays: Python calls into it.
std::string folder() {
    Dl_info self;
    if (dladdr(reinterpret_cast<void *>(&folder), &self) == 0 ||
        dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE) == nullptr)
        throw Error(BUSMARK_UNAVAILABLE, std::string("the adapter's library is not found: ") + dlerror());
    const std::string path = self.dli_fname;
    return path.substr(0, path.rfind('/'));
}

/// Modules in C are not linked with Python's library: they find it where all look.
void open_to_all() {
    Dl_info python;
    if (dladdr(reinterpret_cast<void *>(&Py_InitializeFromConfig), &python) == 0 ||
        dlopen(python.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL) == nullptr)
        throw Error(BUSMARK_UNAVAILABLE, std::string("Python's library is not found: ") + dlerror());
}

void check(const PyStatus &status) {
    if (PyStatus_Exception(status))
        throw Error(BUSMARK_UNAVAILABLE, std::string("Python does not start: ") + status.err_msg);
}

/// Nothing is taken from the environment, and no site: ROS's wheels would start the program anew.
void initialize() {
    PyConfig config;
    PyConfig_InitIsolatedConfig(&config);
    struct Cleared {
        PyConfig &config;
        ~Cleared() { PyConfig_Clear(&config); }
    } cleared{config};
    config.site_import = 0;
    config.write_bytecode = 0;
    config.install_signal_handlers = 0;
    check(PyConfig_SetBytesString(&config, &config.home, BUSMARK_PYTHON_HOME));
    check(PyConfig_SetBytesString(&config, &config.program_name, "busmark-worker"));
    check(Py_InitializeFromConfig(&config));
}

/// Adds the folders of the node and of rclpy, and what converts messages, which is in this library, too.
void add_modules(const std::string &here) {
    PyObject *path = PySys_GetObject("path");
    std::istringstream folders(BUSMARK_PYTHON_PATH);
    for (std::string part; std::getline(folders, part, ':');) {
        if (part.rfind("$ORIGIN", 0) == 0) part.replace(0, std::string("$ORIGIN").size(), here);
        const Object text = checked(Object(PyUnicode_DecodeFSDefault(part.c_str())), "Python's path");
        if (PyList_Append(path, text.get()) != 0) throw Error(BUSMARK_RESOURCES, "Python's path: " + raised());
    }
    const Object module = checked(Object(PyInit_busmark_msgs_s__rosidl_typesupport_c()), "type support of the message");
    if (PyDict_SetItemString(PyImport_GetModuleDict(), converters, module.get()) != 0)
        throw Error(BUSMARK_RESOURCES, "type support of the message: " + raised());
}

/// A copy of this library may have started Python already.
PyObject *start() {
    const std::string here = folder();
    if (Py_IsInitialized() == 0) {
        open_to_all();
        initialize();
        PyEval_SaveThread();
        const Gil gil;
        add_modules(here);
    }
    const Gil gil;
    return checked(Object(PyImport_ImportModule("busmark_node")), "rclpy is not to be had").release();
}

} // namespace

std::string raised() {
    PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
    PyErr_Fetch(&type, &value, &trace);
    if (type == nullptr) return "";
    PyErr_NormalizeException(&type, &value, &trace);
    std::string words = reinterpret_cast<PyTypeObject *>(type)->tp_name;
    PyObject *text = value != nullptr ? PyObject_Str(value) : nullptr;
    const char *said = text != nullptr ? PyUnicode_AsUTF8(text) : nullptr;
    if (said != nullptr) words += std::string(": ") + said;
    PyErr_Clear();
    for (PyObject *each : {type, value, trace, text}) Py_XDECREF(each);
    return words;
}

Object checked(Object object, const std::string &what) {
    if (!object) throw Error(BUSMARK_FAILED, what + ": " + raised());
    return object;
}

PyObject *node_module() {
    static std::mutex guard;
    static PyObject *module = nullptr;
    static std::string refused;
    const std::lock_guard<std::mutex> lock(guard);
    if (module != nullptr) return module;
    if (!refused.empty()) throw Error(BUSMARK_UNAVAILABLE, refused);
    try {
        module = start();
    } catch (const Error &error) {
        refused = error.what();
        throw Error(BUSMARK_UNAVAILABLE, refused);
    }
    return module;
}

Object made_by(const char *type, PyObject *arguments, const std::string &what) {
    const Object given = checked(Object(arguments), what);
    const Object maker = checked(Object(PyObject_GetAttrString(node_module(), type)), what);
    return checked(Object(PyObject_CallObject(maker.get(), given.get())), what);
}

void close(const Object &object) {
    const Gil gil;
    const Object done(PyObject_CallMethod(object.get(), "close", nullptr));
    if (!done) busmark::log(BUSMARK_LOG_WARNING, BUSMARK_LAYER ": close: " + raised());
}

} // namespace ros_adapter
