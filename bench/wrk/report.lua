-- Prints one line of numbers at the end of a run, for Wrk.java.
function done(summary, latency)
    local errors = summary.errors
    io.write(string.format("bench %d %d %d %d %d %.0f %.0f\n", summary.requests, summary.duration, summary.bytes, errors.status,
        errors.connect + errors.read + errors.write + errors.timeout, latency:percentile(50), latency:percentile(99)))
end

-- Each thread has other random numbers. The same seed gives both subjects of a ratio the same numbers.
local threads = 0
function setup(thread)
    threads = threads + 1
    thread:set("number", threads)
end
function seed(text)
    math.randomseed(tonumber(text) * 100 + number)
end
