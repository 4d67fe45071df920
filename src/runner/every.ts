/**
 * Does something again and again, one round after the other with a pause of `ms` between them, until stopped; a round that fails is
 * reported. The first round comes at once, or after a pause.
 */
export function every(
  ms: number,
  work: () => Promise<void>,
  onError: (error: unknown) => void,
  first: 'at-once' | 'after-pause' = 'at-once',
): { stop(): Promise<void> } {
  let isStopped = false;
  let timer: NodeJS.Timeout | null = null;
  let round: Promise<void> = Promise.resolve();
  const pause = (): void => {
    timer = setTimeout(() => {
      round = run();
    }, ms);
  };
  const run = async (): Promise<void> => {
    try {
      await work();
    } catch (error) {
      onError(error);
    }
    if (!isStopped) pause();
  };
  if (first === 'at-once') round = run();
  else pause();
  return {
    async stop() {
      isStopped = true;
      if (timer !== null) clearTimeout(timer);
      await round;
    },
  };
}
