// The official client of the revisions that begin with `initialize`.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { exercise, place } from './exercise.mjs';

const at = place(process.argv.slice(2));
const transport = at.url
  ? new StreamableHTTPClientTransport(at.url, { requestInit: { headers: at.headers } })
  : new StdioClientTransport(at);
const client = new Client({ name: 'test', version: '1' });
let agreed;
transport.setProtocolVersion = ((set) => function (version) {
  agreed = version;
  set?.call(this, version);
})(transport.setProtocolVersion);
await client.connect(transport);
await exercise(client, () => agreed);
