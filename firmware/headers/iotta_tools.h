// What a tool handler for iotta boards is: the board hands over the arguments of `tools/call` as JSON and sends
// `result` back as the result, or `message` as the error (iotta-protocol.md section 4).
#ifndef IOTTA_TOOLS_H
#define IOTTA_TOOLS_H

#include "roost_json.h"

typedef struct {
  char result[640];
  // Set when the call was refused: what is wrong, for people.
  const char *message;
} iotta_answer;

typedef struct {
  const char *name;
  // True: `result` is the answer; false: `message` is the error.
  bool (*call)(const char *arguments, iotta_answer *answer);
} iotta_tool;

static inline bool iotta_ok(iotta_answer *answer) {
  snprintf(answer->result, sizeof answer->result, "{\"status\":\"ok\"}");
  return true;
}

static inline bool iotta_refuse(iotta_answer *answer, const char *message) {
  answer->message = message;
  return false;
}

static inline bool iotta_bool(iotta_answer *answer, bool value) {
  snprintf(answer->result, sizeof answer->result, "{\"value\":%s}", value ? "true" : "false");
  return true;
}

static inline bool iotta_number(iotta_answer *answer, double value) {
  snprintf(answer->result, sizeof answer->result, "{\"value\":%.9g}", value);
  return true;
}

static inline bool iotta_text(iotta_answer *answer, const char *value) {
  char quoted[sizeof answer->result - 16];
  if (!roost_json_quote(value, quoted, sizeof quoted)) return iotta_refuse(answer, "the text is too long");
  snprintf(answer->result, sizeof answer->result, "{\"value\":%s}", quoted);
  return true;
}

#endif
