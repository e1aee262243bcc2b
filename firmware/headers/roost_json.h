// A reader for the small JSON of tool calls: no memory of its own, no recursion beyond a limit, bounded by the text's
// end. Enough for generated handlers; it is no validator.
#ifndef ROOST_JSON_H
#define ROOST_JSON_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOST_JSON_DEPTH 16

static inline const char *roost_json_space(const char *at) {
  while (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n') at++;
  return at;
}

// Behind the closing quote, or NULL. `at` is the opening one.
static inline const char *roost_json_text_end(const char *at) {
  if (*at != '"') return NULL;
  for (at++; *at != '"'; at++) {
    if (*at == '\\') at++;
    if (*at == '\0') return NULL;
  }
  return at + 1;
}

// Behind any value, or NULL.
static inline const char *roost_json_skip(const char *at, int depth) {
  at = roost_json_space(at);
  if (depth > ROOST_JSON_DEPTH) return NULL;
  if (*at == '"') return roost_json_text_end(at);
  if (*at == '{' || *at == '[') {
    const char close = *at == '{' ? '}' : ']';
    at = roost_json_space(at + 1);
    if (*at == close) return at + 1;
    for (;;) {
      if (close == '}') {
        at = roost_json_text_end(roost_json_space(at));
        if (at == NULL) return NULL;
        at = roost_json_space(at);
        if (*at != ':') return NULL;
        at++;
      }
      at = roost_json_skip(at, depth + 1);
      if (at == NULL) return NULL;
      at = roost_json_space(at);
      if (*at == close) return at + 1;
      if (*at != ',') return NULL;
      at++;
    }
  }
  const char *start = at;
  while (*at != '\0' && strchr(",]} \t\r\n", *at) == NULL) at++;
  return at == start ? NULL : at;
}

// The value of a member of the object that starts at `object`, or NULL. `key` needs no escapes.
static inline const char *roost_json_member(const char *object, const char *key) {
  if (object == NULL) return NULL;
  const char *at = roost_json_space(object);
  if (*at != '{') return NULL;
  at = roost_json_space(at + 1);
  while (*at == '"') {
    const char *name = at + 1;
    at = roost_json_text_end(at);
    if (at == NULL) return NULL;
    const size_t length = (size_t)(at - 1 - name);
    at = roost_json_space(at);
    if (*at != ':') return NULL;
    at = roost_json_space(at + 1);
    if (strlen(key) == length && strncmp(name, key, length) == 0) return at;
    at = roost_json_skip(at, 0);
    if (at == NULL) return NULL;
    at = roost_json_space(at);
    if (*at != ',') return NULL;
    at = roost_json_space(at + 1);
  }
  return NULL;
}

static inline bool roost_json_bool(const char *value, bool *out) {
  if (value == NULL) return false;
  if (strncmp(value, "true", 4) == 0) *out = true;
  else if (strncmp(value, "false", 5) == 0) *out = false;
  else return false;
  return true;
}

static inline bool roost_json_number(const char *value, double *out) {
  if (value == NULL || (*value != '-' && (*value < '0' || *value > '9'))) return false;
  char *end = NULL;
  *out = strtod(value, &end);
  return end != value && isfinite(*out);
}

static inline int roost_json_hex(const char *at) {
  int value = 0;
  for (int i = 0; i < 4; i++) {
    const char c = at[i];
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

static inline size_t roost_json_utf8(unsigned code, char *out) {
  if (code < 0x80) {
    out[0] = (char)code;
    return 1;
  }
  if (code < 0x800) {
    out[0] = (char)(0xC0 | (code >> 6));
    out[1] = (char)(0x80 | (code & 0x3F));
    return 2;
  }
  if (code < 0x10000) {
    out[0] = (char)(0xE0 | (code >> 12));
    out[1] = (char)(0x80 | ((code >> 6) & 0x3F));
    out[2] = (char)(0x80 | (code & 0x3F));
    return 3;
  }
  out[0] = (char)(0xF0 | (code >> 18));
  out[1] = (char)(0x80 | ((code >> 12) & 0x3F));
  out[2] = (char)(0x80 | ((code >> 6) & 0x3F));
  out[3] = (char)(0x80 | (code & 0x3F));
  return 4;
}

// Copies the text without its escapes; false when it does not fit into `size`, its end included.
static inline bool roost_json_text(const char *value, char *out, size_t size) {
  if (value == NULL || *value != '"') return false;
  size_t used = 0;
  for (const char *at = value + 1; *at != '"'; at++) {
    char bytes[4];
    size_t count = 1;
    bytes[0] = *at;
    if (*at == '\0') return false;
    if (*at == '\\') {
      at++;
      const char *plain = strchr("\"\\/bfnrt", *at);
      if (*at == 'u') {
        int code = roost_json_hex(at + 1);
        if (code < 0) return false;
        at += 4;
        if (code >= 0xD800 && code < 0xDC00 && at[1] == '\\' && at[2] == 'u') {
          const int low = roost_json_hex(at + 3);
          if (low < 0xDC00 || low > 0xDFFF) return false;
          code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
          at += 6;
        }
        count = roost_json_utf8((unsigned)code, bytes);
      } else if (*at != '\0' && plain != NULL) {
        bytes[0] = "\"\\/\b\f\n\r\t"[plain - "\"\\/bfnrt"];
      } else {
        return false;
      }
    }
    if (used + count >= size) return false;
    memcpy(out + used, bytes, count);
    used += count;
  }
  out[used] = '\0';
  return true;
}

// The text as JSON, quotes included, spaces as \u0020 for lines that may hold none; false when it does not fit.
static inline bool roost_json_quote(const char *text, char *out, size_t size) {
  size_t used = 0;
  if (size < 3) return false;
  out[used++] = '"';
  for (; *text != '\0'; text++) {
    const unsigned char c = (unsigned char)*text;
    if (used + 8 > size) return false;
    if (c == '"' || c == '\\') {
      out[used++] = '\\';
      out[used++] = (char)c;
    } else if (c <= ' ') {
      used += (size_t)snprintf(out + used, size - used, "\\u%04x", c);
    } else {
      out[used++] = (char)c;
    }
  }
  out[used++] = '"';
  out[used] = '\0';
  return true;
}

#endif
