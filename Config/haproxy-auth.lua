-- Asks Gatehouse whether a request may pass; loaded by haproxy.cfg.

local check = "http://127.0.0.1:9092/auth/haproxy"                -- listen.check

-- Only what the check looks at: other headers could be many, and some are lies.
local asked = {
    "cookie", "authorization", "x-gatehouse-token", "accept", "upgrade", "x-requested-with", "sec-fetch-mode", "origin",
    "access-control-request-method", "x-forwarded-proto", "x-forwarded-host", "x-forwarded-for",
}
-- Who it is, and the visitor's cookies and authorization without the session.
local given = {
    "remote-user", "remote-name", "remote-email", "remote-groups", "remote-assurance", "remote-methods", "remote-token",
    "cookie", "authorization", "x-gatehouse-token",
}
-- What a visitor is told who may not pass.
local told = { "location", "www-authenticate", "retry-after", "cache-control" }

-- The lines of one header; HAProxy counts them from 0, answers of its client too.
local function lines(headers, name)
    local found, line = {}, 0
    while headers[name] and headers[name][line] do
        found[line + 1] = headers[name][line]
        line = line + 1
    end
    return found
end

local function question(txn)
    local sent, headers = txn.http:req_get_headers(), {}
    for _, name in ipairs(asked) do
        local values = lines(sent, name)
        if #values > 0 then headers[name] = values end
    end
    headers["x-forwarded-method"] = { txn.f:method() }
    headers["x-forwarded-uri"] = { txn.f:pathq() }
    return headers
end

local function pass(txn, answer)
    for _, name in ipairs(given) do
        txn.http:req_del_header(name)
        for _, value in ipairs(lines(answer.headers, name)) do
            if value ~= "" then txn.http:req_add_header(name, value) end
        end
    end
    txn:set_var("txn.gatehouse_allows", "yes")
end

local function refuse(txn, answer)
    local headers = {}
    for _, name in ipairs(told) do
        local values = lines(answer.headers, name)
        if #values > 0 then headers[name] = values end
    end
    txn:done({ status = answer.status, headers = headers })
end

core.register_action("gatehouse", { "http-req" }, function(txn)
    -- In milliseconds; HAProxy tries four times.
    local answer = core.httpclient():get({ url = check, headers = question(txn), timeout = 2000 })
    if answer and answer.status == 200 then return pass(txn, answer) end
    if answer and answer.status and answer.status >= 300 and answer.headers then return refuse(txn, answer) end
end, 0)
