-- Nine times the same GET, then a POST. Arguments: SEED PATH GREATEST BODY
dofile("report.lua")
local get, post
local count = 0

function init(arguments)
    get = wrk.format("GET")
    wrk.headers["Content-Type"] = "application/json"
    post = wrk.format("POST", nil, nil, arguments[4])
end

function request()
    count = count + 1
    return count % 10 == 0 and post or get
end
