-- What is captured, for whoever captures.

-- @method stele.captured_variables  many  read
-- The variables of the environment that are kept with a command. A sender takes these and no others; the rest would be left out all the same.
-- @result name  text   the variable
-- @native st_stele_captured_variables
