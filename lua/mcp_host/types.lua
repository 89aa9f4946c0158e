---@meta
-- The tables that cross a file. Python owns the shape of everything in a reply; Lua draws it.

---@class (exact) McpProblem
---@field type string a word of `doc/problems.md`
---@field title string
---@field detail string may span lines
---@field hint string the next step
---@field alias? string
---@field tool? string
---@field retryable boolean
---@field causes McpProblem[]

---`{ row, start, end, group }`: 0-based row, byte columns (the end is exclusive), highlight group.
---@alias McpMark [integer, integer, integer, string]

---@alias McpItemKind
---| "tool"
---| "resource"
---| "template"
---| "prompt"
---| "server"
---| "receipt"
---| "interaction"
---| "url"
---| "path"
---| "link"
---| "candidate"
---| "layer"

---@alias McpEventName
---| "McpServerStatus"
---| "McpCatalogChanged"
---| "McpDefinitions"
---| "McpTrustNeeded"
---| "McpProposal"
---| "McpReceipt"
---| "McpCall"
---| "McpProgress"
---| "McpInteraction"
---| "McpLog"
---| "McpResourceUpdated"

---@class (exact) McpItem
---@field row integer 0-based
---@field kind McpItemKind
---@field alias? string
---@field name string

---@class (exact) McpView
---@field marks McpMark[]
---@field items McpItem[]
---@field filetype string
---@field title string
---@field line_count integer

---What `mcp_host.rpc` hands to `on_reply`: a problem, or a value.
---@class (exact) McpReply
---@field exit integer what a headless verb ends the editor with
---@field problem? McpProblem
---@field kind? string "result"|"proposal"|…
---@field document? table
---@field view? McpView
---@field host? table the document's `host` member, where a view was wanted
---@field text? string[] the document's JSON text in slices (want = "text")

---@class (exact) McpPending
---@field verb string
---@field params table<string, any>
---@field on_reply fun(reply: McpReply)
---@field on_lines? fun(lines: string[])
---@field want? "document"|"text"|"view"
---@field text string[]

---@class (exact) McpPeer
---@field channel integer
---@field pid? integer
---@field python? string
---@field has_answered? boolean nil until the answer to `start` is there
---@field tail fun(): string[] the last lines the process wrote to stderr

---A flag in front of a command's words, or between them: it sends one parameter.
---@class (exact) McpFlag
---@field name string "--project"
---@field param string
---@field value? string nil: the word that follows it
---@field takes? string what that word is, and what completes there

---One verb: `:Mcp {verb}` and, where `command` is set, a plain command.
---@class (exact) McpVerb
---@field verb string
---@field command? string
---@field words string[] names of the leading words; each is also the parameter sent and what completes there
---@field required integer how many of them have to be there
---@field rest? string parameter that takes the verbatim rest of the line
---@field flags? McpFlag[] of which at most one of a parameter is given
---@field quotable? string the word that may be given in double quotes
---@field bang? boolean
---@field desc string

---@class (exact) McpAddress
---@field kind string "servers"|"proposals"|"interaction"|"trust"|"add"|"result"|"survey"|"tool"|…
---@field name string the whole buffer name
---@field verb string verb that fills it
---@field params table<string, any>

---What an McpInteraction event tells.
---@class (exact) McpInteraction
---@field interaction string
---@field alias string
---@field tool? string
---@field call? string
---@field kinds string[] "form"|"url"|"sampling"|"roots"
---@field state "open"|"answered"|"declined"|"cancelled"|"withdrawn"

---What an McpProgress event tells.
---@class (exact) McpProgress
---@field call string
---@field alias string
---@field kind "tool"|"resource"|"prompt"
---@field tool? string
---@field name? string
---@field progress number
---@field total? number
---@field message? string

---@class (exact) McpOrigin
---@field win integer
---@field buf integer
---@field tab integer

---@class (exact) McpWriter
---@field lines fun(lines: string[])
---@field finish fun(view: McpView|nil, host: table|nil)
---@field problem fun(problem: McpProblem)

---Gives the `:write` of one kind of buffer its meaning.
---@class McpBufferOwner
---@field attach fun(buf: integer, address: McpAddress) its text is about to be read, for the first time or again
---@field drawn fun(buf: integer, host: table) its whole text is there
---@field restored? fun(buf: integer): McpProblem a session brought its name back, which stands for nothing any more

---@class (exact) McpBufferState
---@field address McpAddress|nil
---@field items table<integer, McpItem> by 0-based row
---@field load integer number of the newest load; older ones no longer write
---@field is_stale? true what it lists has changed since it was last seen
---@field is_changed? true the resource has changed at its server since it was read
---@field views table<integer, vim.fn.winsaveview.ret> window -> view to come back to after a reload

---@class (exact) McpToolRow
---@field alias string
---@field name string
---@field callableName string
---@field summary string
---@field signature string
---@field effect string

---@class (exact) McpSetup
---@field python? string interpreter that has the mcp-host package
---@field loader? "job"|"rplugin"
---@field config_file? string the definitions file
---@field resolve? McpResolver gives the values of names that the environment lacks
---@field sampling? McpSampler|"by-hand"|false who answers when a server asks for a completion
---@field roots? McpRoots|false the folders that servers are told of
---@field log_level? "debug"|"info"|"notice"|"warning"|"error"|"critical"|"alert"|"emergency"|false

---Answers to what a server may ask: the path of a JSON file, or its entries.
---@alias McpGivenAnswers string|table[]|table

---@class (exact) McpCompleteOptions
---@field alias string
---@field kind "prompt"|"template"
---@field name string the prompt's name, or the template as the server wrote it
---@field argument string
---@field value? string what is typed of it
---@field arguments? table<string, string> those that are known already

---@class (exact) McpAddOptions
---@field alias? string
---@field target? string a URL, or a program (with its arguments)
---@field options? table|string further fields of the definition
---@field candidate? string id of one that `discover` found
---@field toml? string the text of a definition instead
---@field layer? "user"|"project"|"session" "user" unless given
