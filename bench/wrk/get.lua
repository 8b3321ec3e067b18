-- The same GET again and again.
dofile("report.lua")
