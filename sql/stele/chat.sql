-- Language models: which one answers questions, and makes knowledge of what was captured, where that is wanted.

-- @method stele.chat_model  one  admin
-- Which language model is configured, and whether it can be asked.
-- @param  check     bool = false   ask the endpoint whether it is there and knows the model
-- @result endpoint  text?          its address; null: none is configured
-- @result model     text?          the model that is asked; null: the first that the endpoint lists
-- @result reached   bool?          with check: it is there, and knows the model
-- @result problem   text?          why there is none, or why it cannot be asked
-- @native st_stele_chat_model outside
