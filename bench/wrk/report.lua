-- What Wrk.java reads: one line of numbers at the end of a run.
function done(summary, latency)
    local errors = summary.errors
    io.write(string.format("bench %d %d %d %d %d %.0f %.0f\n", summary.requests, summary.duration, summary.bytes, errors.status,
        errors.connect + errors.read + errors.write + errors.timeout, latency:percentile(50), latency:percentile(99)))
end

-- Every thread draws numbers of its own; the same seed gives both subjects of a ratio the same ones.
local threads = 0
function setup(thread)
    threads = threads + 1
    thread:set("number", threads)
end
function seed(text)
    math.randomseed(tonumber(text) * 100 + number)
end
