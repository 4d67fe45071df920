/**
 * Does some work for each, so many at a time: work for hundreds that began at one moment would take all connections of the database,
 * and an order that is decided on just then would wait behind it. What fails is reported, and the others are done all the same.
 */
export async function fewAtOnce<T>(
  items: readonly T[],
  most: number,
  work: (item: T) => Promise<void>,
  onError: (error: unknown) => void,
): Promise<void> {
  const waiting = items.values();
  const lane = async (): Promise<void> => {
    for (const item of waiting) await work(item).catch(onError);
  };
  await Promise.all(Array.from({ length: most }, lane));
}
