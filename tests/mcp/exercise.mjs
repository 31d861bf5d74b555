// What every official client does with the server; prints one line of JSON for the test to look at.
//   node sdk_v1.mjs stdio PROGRAM ARGUMENTS...      node sdk_v1.mjs http URL TOKEN

export function place([kind, ...rest]) {
  if (kind === 'stdio') return { command: rest[0], args: rest.slice(1) };
  return { url: new URL(rest[0]), headers: { Authorization: `Bearer ${rest[1]}` } };
}

export async function exercise(client, version) {
  const call = async (name, args) => (await client.callTool({ name, arguments: args })).structuredContent;
  const { tools } = await client.listTools();
  const written = await call('append', { session_id: 's1', role: 'user', content: 'the quick zebra' });
  const found = await call('search', { query: 'zebra' });
  await call('memory', { command: 'create', path: '/memories/a.md', file_text: 'one' });
  const failed = await client.callTool({ name: 'get', arguments: { session_id: 'none' } });
  const { resources } = await client.listResources();
  const { contents } = await client.readResource({ uri: 'stele://session/s1' });
  const { prompts } = await client.listPrompts();
  const prompt = await client.getPrompt({ name: 'recall_fix', arguments: { problem: 'it broke' } });
  const completed = await client.complete({
    ref: { type: 'ref/prompt', name: 'summarise_session' },
    argument: { name: 'session_id', value: 's' },
  });
  console.log(JSON.stringify({
    version: version(),
    tools: tools.map((tool) => tool.name),
    same: found.found[0].ref === `conversation/message/${written.message.id}`,
    failed: failed.isError,
    resources: resources.map((resource) => resource.uri),
    read: JSON.parse(contents[0].text).messages.length,
    prompts: prompts.map((each) => each.name),
    prompt: prompt.messages[0].content.text.includes('it broke'),
    completed: completed.completion.values,
  }));
  await client.close();
}
