// Stands in for the header of the same name of xiaozhi firmware up to 1.7, so that generated Things are compiled and
// called on any computer. It has what such a Thing uses, written from the protocol's description.
#ifndef THING_H
#define THING_H

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace iot {

enum ValueType { kValueTypeBoolean, kValueTypeNumber, kValueTypeString };

struct Property {
    std::string description;
    ValueType type;
    std::function<std::string()> read;
};

class PropertyList {
public:
    void AddBooleanProperty(const std::string& name, const std::string& description, std::function<bool()> read) {
        all[name] = {description, kValueTypeBoolean, [read] { return std::string(read() ? "true" : "false"); }};
    }
    void AddNumberProperty(const std::string& name, const std::string& description, std::function<int()> read) {
        all[name] = {description, kValueTypeNumber, [read] { return std::to_string(read()); }};
    }
    void AddStringProperty(const std::string& name, const std::string& description, std::function<std::string()> read) {
        all[name] = {description, kValueTypeString, read};
    }
    std::map<std::string, Property> all;
};

class Parameter {
public:
    Parameter(const std::string& name, const std::string& description, ValueType type, bool required = true)
        : name_(name), description_(description), type_(type), required_(required) {}
    const std::string& name() const { return name_; }
    ValueType type() const { return type_; }
    bool required() const { return required_; }
    bool boolean() const { return boolean_; }
    int number() const { return number_; }
    const std::string& string() const { return string_; }
    void set_boolean(bool value) { boolean_ = value; }
    void set_number(int value) { number_ = value; }
    void set_string(const std::string& value) { string_ = value; }

private:
    std::string name_;
    std::string description_;
    ValueType type_;
    bool required_;
    bool boolean_ = false;
    int number_ = 0;
    std::string string_;
};

class ParameterList {
public:
    ParameterList() = default;
    ParameterList(const std::vector<Parameter>& parameters) : all(parameters) {}
    const Parameter& operator[](const std::string& name) const {
        for (const auto& parameter : all)
            if (parameter.name() == name) return parameter;
        static const Parameter none("", "", kValueTypeString);
        return none;
    }
    std::vector<Parameter> all;
};

struct Method {
    std::string description;
    ParameterList parameters;
    std::function<void(const ParameterList&)> call;
};

class MethodList {
public:
    void AddMethod(const std::string& name, const std::string& description, const ParameterList& parameters,
                   std::function<void(const ParameterList&)> call) {
        all[name] = {description, parameters, call};
    }
    std::map<std::string, Method> all;
};

class Thing {
public:
    Thing(const std::string& name, const std::string& description) : name_(name), description_(description) {}
    virtual ~Thing() = default;
    const std::string& name() const { return name_; }
    const std::string& description() const { return description_; }
    PropertyList properties_;
    MethodList methods_;

private:
    std::string name_;
    std::string description_;
};

inline std::map<std::string, std::function<Thing*()>>& Makers() {
    static std::map<std::string, std::function<Thing*()>> makers;
    return makers;
}

struct Registration {
    Registration(const char* name, std::function<Thing*()> make) { Makers()[name] = make; }
};

}  // namespace iot

#define DECLARE_THING(type) \
    static const iot::Registration registered_##type(#type, []() -> iot::Thing* { return new iot::type(); })

#endif
