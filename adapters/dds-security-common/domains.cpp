#include "domains.hpp"

#include "openssl.hpp"

#include <tinyxml2.h>

#include <algorithm>
#include <cctype>
#include <ctime>
#include <vector>

namespace dds_security {

namespace {

using busmark::Error;
using tinyxml2::XMLDocument;
using tinyxml2::XMLElement;

std::vector<const XMLElement *> children(const XMLElement *of, const char *name = nullptr) {
    std::vector<const XMLElement *> all;
    if (of == nullptr) return all;
    for (auto *e = of->FirstChildElement(name); e != nullptr; e = e->NextSiblingElement(name))
        all.push_back(e);
    return all;
}

/// Whether an element of <domains> covers the domain: <id>, or <id_range> with one bound or both.
bool covers(const XMLElement &range, uint32_t domain) {
    if (std::string(range.Name()) == "id") return range.UnsignedText(UINT32_MAX) == domain;
    const auto bound = [&range](const char *name, uint32_t otherwise) {
        const XMLElement *const given = range.FirstChildElement(name);
        return given == nullptr ? otherwise : given->UnsignedText(otherwise);
    };
    return bound("min", 0) <= domain && domain <= bound("max", UINT32_MAX);
}

bool rule_covers(const std::vector<const XMLElement *> &rules, uint32_t domain) {
    for (const XMLElement *rule : rules)
        for (const XMLElement *range : children(rule->FirstChildElement("domains")))
            if (covers(*range, domain)) return true;
    return false;
}

/// The children of the document's <dds>.
const XMLElement *parsed(const std::string &what, const std::string &path, const char *section,
                         XMLDocument &document) {
    const SignedDocument read(path);
    if (!read.is_one()) throw Error(BUSMARK_INVALID, what + " " + path + ": not signed as S/MIME");
    const std::string content = read.content();
    const size_t begin = std::min(content.find('<'), content.size());
    document.Parse(content.data() + begin, content.size() - begin);
    const XMLElement *const root = document.Error() ? nullptr : document.RootElement();
    const XMLElement *const found = root == nullptr ? nullptr : root->FirstChildElement(section);
    if (found == nullptr)
        throw Error(BUSMARK_INVALID,
                    what + " " + path + ": what is signed is no XML with <" + section + ">");
    return found;
}

/// Without blanks, for both ", " and "," are in use.
std::string bare(std::string name) {
    name.erase(std::remove_if(name.begin(), name.end(),
                              [](unsigned char c) { return std::isspace(c) != 0; }),
               name.end());
    return name;
}

bool is_about(const XMLElement &grant, const std::string &subject) {
    const XMLElement *const name = grant.FirstChildElement("subject_name");
    return name != nullptr && name->GetText() != nullptr && bare(name->GetText()) == bare(subject);
}

/// In UTC, as documents write it.
std::string now() {
    const std::time_t seconds = std::time(nullptr);
    std::tm parts{};
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", gmtime_r(&seconds, &parts));
    return text;
}

/// A bound of a grant's validity, without a zone.
std::string bound_of(const XMLElement &grant, const char *name) {
    const XMLElement *const validity = grant.FirstChildElement("validity");
    const XMLElement *const bound = validity == nullptr ? nullptr : validity->FirstChildElement(name);
    const char *const text = bound == nullptr ? nullptr : bound->GetText();
    return std::string(text == nullptr ? "" : text).substr(0, now().size());
}

std::vector<const XMLElement *> grants_of(const std::string &subject, const busmark::Security &security,
                                          XMLDocument &document) {
    std::vector<const XMLElement *> own;
    const XMLElement *const all = parsed("permissions", security.permissions, "permissions", document);
    for (const XMLElement *grant : children(all, "grant"))
        if (is_about(*grant, subject)) own.push_back(grant);
    return own;
}

std::string own_subject(const busmark::Security &security) {
    const auto certificate = certificate_of(security.certificate);
    return certificate ? subject_of(*certificate) : "";
}

} // namespace

void check_domains(const busmark::Security &security, uint32_t domain) {
    const std::string about = "is about domain " + std::to_string(domain);
    XMLDocument governance, permissions;
    const XMLElement *const rules =
        parsed("governance", security.governance, "domain_access_rules", governance);
    if (!rule_covers(children(rules, "domain_rule"), domain))
        throw Error(BUSMARK_INVALID, "governance " + security.governance + ": no rule " + about);
    const std::string subject = own_subject(security);
    for (const XMLElement *grant : grants_of(subject, security, permissions))
        if (!rule_covers(children(grant, "allow_rule"), domain))
            throw Error(BUSMARK_INVALID, "permissions " + security.permissions + ": nothing that " +
                                             subject + " may do " + about);
}

std::string why_no_grant(const busmark::Security &security) {
    XMLDocument document;
    const std::string subject = own_subject(security);
    const auto grants = grants_of(subject, security, document);
    const std::string where = "permissions " + security.permissions + ": ";
    if (grants.empty()) return where + "no grant is for " + subject;
    for (const XMLElement *grant : grants)
        if (bound_of(*grant, "not_before") <= now() && now() <= bound_of(*grant, "not_after"))
            return "";
    return where + "the grant for " + subject + " holds from " +
           bound_of(*grants.front(), "not_before") + " to " + bound_of(*grants.front(), "not_after");
}

} // namespace dds_security
