/** How often it is checked whether the caller still waits, in ms. */
const goneCheckMs = 250;

/** Does what a caller waits for; the signal ends it when the caller has gone. */
export async function untilGone<Answer>(isGone: () => boolean, work: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
  const over = new AbortController();
  const check = setInterval(() => isGone() && over.abort(), goneCheckMs);
  try {
    return await work(over.signal);
  } finally {
    clearInterval(check);
  }
}
