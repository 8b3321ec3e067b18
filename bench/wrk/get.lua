-- The same GET repeatedly.
dofile("report.lua")
