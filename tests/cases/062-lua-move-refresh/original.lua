-- Draws the minimap and what moves on it.

local config = require("minimap.config")
local window = require("minimap.window")

local M = {}

local state = {
  open = false,
  buffer = nil,
  handle = nil,
}

local function clamp(value, low, high)
  return math.max(low, math.min(high, value))
end

local function scale(line, total, height)
  return clamp(math.floor(line / total * height), 0, height - 1)
end

function M.open()
  if state.open then
    return
  end
  state.buffer = vim.api.nvim_create_buf(false, true)
  state.handle = window.create(state.buffer, config.width)
  state.open = true
  M.refresh()
end

function M.close()
  if not state.open then
    return
  end
  window.destroy(state.handle)
  vim.api.nvim_buf_delete(state.buffer, { force = true })
  state.open = false
end

function M.toggle()
  if state.open then
    M.close()
  else
    M.open()
  end
end

function M.refresh()
  if not state.open then
    return
  end
  local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
  local rows = {}
  for index, line in ipairs(lines) do
    rows[#rows + 1] = window.row(line, index)
  end
  vim.api.nvim_buf_set_lines(state.buffer, 0, -1, false, rows)
end

function M.setup(options)
  config.merge(options or {})
  vim.api.nvim_create_user_command("Minimap", M.toggle, {})
end

return M
