// Stands in for the header of the same name of xiaozhi firmware from 1.8 on, so that generated tools are compiled and
// called on any computer. It has what such tools use, written from the protocol's description.
#ifndef MCP_SERVER_H
#define MCP_SERVER_H

#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

using ReturnValue = std::variant<bool, int, std::string>;

enum PropertyType { kPropertyTypeBoolean, kPropertyTypeInteger, kPropertyTypeString };

class Property {
public:
    Property(const std::string& name, PropertyType type) : name_(name), type_(type) {}
    Property(const std::string& name, PropertyType type, int minimum, int maximum)
        : name_(name), type_(type), minimum_(minimum), maximum_(maximum) {
        if (type != kPropertyTypeInteger) throw std::invalid_argument("only integers have a range");
    }
    const std::string& name() const { return name_; }
    PropertyType type() const { return type_; }
    std::optional<int> minimum() const { return minimum_; }
    std::optional<int> maximum() const { return maximum_; }
    template <typename T>
    T value() const {
        return std::get<T>(value_);
    }
    void set_value(const std::variant<bool, int, std::string>& value) {
        if (const int* number = std::get_if<int>(&value)) {
            if (minimum_ && *number < *minimum_) throw std::invalid_argument("Value is below minimum allowed");
            if (maximum_ && *number > *maximum_) throw std::invalid_argument("Value exceeds maximum allowed");
        }
        value_ = value;
    }

private:
    std::string name_;
    PropertyType type_;
    std::optional<int> minimum_;
    std::optional<int> maximum_;
    std::variant<bool, int, std::string> value_;
};

class PropertyList {
public:
    PropertyList() = default;
    PropertyList(const std::vector<Property>& properties) : all(properties) {}
    const Property& operator[](const std::string& name) const {
        for (const auto& property : all)
            if (property.name() == name) return property;
        throw std::runtime_error("Property not found: " + name);
    }
    std::vector<Property> all;
};

struct McpTool {
    std::string description;
    PropertyList properties;
    std::function<ReturnValue(const PropertyList&)> call;
};

class McpServer {
public:
    static McpServer& GetInstance() {
        static McpServer instance;
        return instance;
    }
    void AddTool(const std::string& name, const std::string& description, const PropertyList& properties,
                 std::function<ReturnValue(const PropertyList&)> call) {
        tools[name] = {description, properties, call};
    }
    std::map<std::string, McpTool> tools;
};

#endif
