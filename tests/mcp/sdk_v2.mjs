// The official client of 2026-07-28.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { exercise, place } from './exercise.mjs';

const at = place(process.argv.slice(2));
const transport = at.url
  ? new StreamableHTTPClientTransport(at.url, { requestInit: { headers: at.headers } })
  : new StdioClientTransport(at);
const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
await client.connect(transport);
await exercise(client, () => client.getNegotiatedProtocolVersion());
