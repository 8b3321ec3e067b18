-- GET of a path. ID is a random number from 1 to GREATEST, LIMIT a random number from 11 to 30.
-- Arguments: SEED PATH GREATEST
dofile("report.lua")
local before, after, greatest, limits

function init(arguments)
    seed(arguments[1])
    before, after = arguments[2]:match("^(.*)ID(.*)$")
    limits = after == "&limit=LIMIT"
    greatest = tonumber(arguments[3])
end

function request()
    local path = before .. math.random(greatest)
    if limits then
        path = path .. "&limit=" .. math.random(11, 30)
    end
    return wrk.format("GET", path)
end
