/** Reads an answer that comes line by line, each a JSON value: `onLine` gets each as it arrives. Gives the last; undefined when there was none. */
export async function readLines(body: ReadableStream<Uint8Array>, onLine: (line: unknown) => void): Promise<unknown> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let last: unknown;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return last;
    const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      last = JSON.parse(line);
      onLine(last);
    }
  }
}
