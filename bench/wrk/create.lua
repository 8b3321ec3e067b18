-- The same POST repeatedly. Arguments: SEED PATH GREATEST BODY
dofile("report.lua")
local post

function init(arguments)
    wrk.method = "POST"
    wrk.body = arguments[4]
    wrk.headers["Content-Type"] = "application/json"
    post = wrk.format()
end

function request()
    return post
end
