#pragma once
#include <curl/curl.h>

// curl_easy_setopt and curl_easy_getinfo take their arguments through `...`, which Swift can't call. Here the C compiler
// checks them.

/// A request over HTTPS, and where the body of its answer goes.
struct curl_request {
    const char *url;
    /// A urlencoded form to POST; NULL for a GET. A form is not sent on to where a redirection leads.
    const char *form;
    /// A field that is sent along; NULL for none.
    const char *field;
    /// A PEM file of certification authorities; NULL for those of the system.
    const char *authorities;
    /// Seconds for all of it, redirections included.
    long timeout;
    curl_off_t limit;
    /// Gets what arrives of the body, and `context`; another number than that of the bytes given ends it.
    size_t (*receive)(char *bytes, size_t size, size_t count, void *context);
    void *context;
};

/// Carries a request out; `status` is set where there was an answer.
static inline CURLcode curl_perform(const struct curl_request *request, long *status) {
    CURL *handle = curl_easy_init();
    if (handle == NULL) return CURLE_FAILED_INIT;
    CURLcode code = CURLE_OK;
#define SET(option, value) if (code == CURLE_OK) code = curl_easy_setopt(handle, option, value)
    SET(CURLOPT_PROTOCOLS_STR, "https");
    SET(CURLOPT_REDIR_PROTOCOLS_STR, "https");
    SET(CURLOPT_FOLLOWLOCATION, request->form == NULL ? 1L : 0L);
    SET(CURLOPT_MAXREDIRS, 3L);
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_CONNECTTIMEOUT, 10L);
    SET(CURLOPT_USERAGENT, "Gatehouse");
    SET(CURLOPT_TIMEOUT, request->timeout);
    SET(CURLOPT_MAXFILESIZE_LARGE, request->limit);
    SET(CURLOPT_URL, request->url);
    if (request->form != NULL) SET(CURLOPT_POSTFIELDS, request->form);
    struct curl_slist *fields = request->field == NULL ? NULL : curl_slist_append(NULL, request->field);
    if (fields != NULL) SET(CURLOPT_HTTPHEADER, fields);
    if (request->authorities != NULL) SET(CURLOPT_CAINFO, request->authorities);
    SET(CURLOPT_WRITEFUNCTION, request->receive);
    SET(CURLOPT_WRITEDATA, request->context);
#undef SET
    if (code == CURLE_OK) code = curl_easy_perform(handle);
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, status);
    curl_easy_cleanup(handle);
    curl_slist_free_all(fields);
    return code;
}
