/**
 * What a question comes to, or `otherwise` when it fails or takes longer than `ms`: for answers that say how things stand, and must not
 * wait for what does not work. Why it failed is not reported; who asks has something to answer instead.
 */
export async function answeredWithin<T, E>(ms: number, question: Promise<T>, otherwise: E): Promise<T | E> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<E>((resolve) => (timer = setTimeout(() => resolve(otherwise), ms)));
  try {
    return await Promise.race([question.catch(() => otherwise), tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
