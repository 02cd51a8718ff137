-- Asks Gatehouse whether a request may pass; run by apache.conf.

local check_url = "http://127.0.0.1:9092/auth/apache"                 -- listen.check

local http = require("socket.http")
http.TIMEOUT = 5

-- Only what the check looks at: other headers could be many, and some are lies.
local asked = {
    "Cookie", "Authorization", "X-Gatehouse-Token", "Accept", "Upgrade", "X-Requested-With", "Sec-Fetch-Mode", "Origin",
    "Access-Control-Request-Method",
}
-- Who it is, and the visitor's cookies and authorization without the session.
local given = {
    "Remote-User", "Remote-Name", "Remote-Email", "Remote-Groups", "Remote-Assurance", "Remote-Methods", "Remote-Token",
    "Cookie", "Authorization", "X-Gatehouse-Token",
}
-- What a visitor is told who may not pass.
local told = { "Location", "WWW-Authenticate", "Retry-After", "Cache-Control" }

-- Identity headers, headers by which some applications choose what to serve, and names with anything but letters, digits and
-- hyphens, which could pass for either in an application that folds them.
local foreign = { "[^%w-]", "^remote%-", "^x%-forwarded%-", "^x%-original%-", "^x%-rewrite%-", "^x%-http%-method",
    "^x%-method%-override$", "^x%-real%-ip$", "^forwarded$" }

local function is_foreign(name)
    for _, pattern in ipairs(foreign) do
        if name:lower():find(pattern) then return true end
    end
    return false
end

-- What a visitor names in Connection Apache would remove after the check has set it. WebSockets and nothing else: behind an
-- upgrade to HTTP/2 the application would hear requests that nobody was asked about.
local function strip_connection(r)
    local named = (r.headers_in["Connection"] or ""):lower()
    local upgrades = named:find("upgrade", 1, true) and (r.headers_in["Upgrade"] or ""):lower() == "websocket"
    local closes = named:find("close", 1, true) and "close" or nil
    r.headers_in["Connection"] = upgrades and "Upgrade" or closes
    if not upgrades then r.headers_in["Upgrade"] = nil end
end

local function strip(r)
    for name in pairs(r:headers_in_table()) do
        if is_foreign(name) then r.headers_in[name] = nil end
    end
end

local function question(r)
    local headers = {
        ["X-Forwarded-Method"] = r.method,
        ["X-Forwarded-Proto"] = r.is_https and "https" or "http",
        ["X-Forwarded-Host"] = r.headers_in["Host"],
        -- In absolute form it is refused: target and host could say two things.
        ["X-Forwarded-Uri"] = r.unparsed_uri,
        ["X-Forwarded-For"] = r.useragent_ip,
    }
    for _, name in ipairs(asked) do headers[name] = r.headers_in[name] end
    return headers
end

-- Whether to come back with the method of before; 303 says GET (RFC 9110 section 15.4).
local function redirect(r)
    return (r.method == "GET" or r.method == "HEAD") and 302 or 303
end


function check(r)
    strip(r)
    strip_connection(r)
    local _, status, headers = http.request({ url = check_url, headers = question(r), redirect = false })
    if status == 200 then
        for _, name in ipairs(given) do
            local value = headers[name:lower()]
            r.headers_in[name] = value ~= "" and value or nil
        end
        return apache2.OK
    end
    if type(status) ~= "number" or status < 300 then return 503 end
    for _, name in ipairs(told) do r.err_headers_out[name] = headers[name:lower()] end
    return status == 401 and headers["location"] and redirect(r) or status
end
