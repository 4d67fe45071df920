/** What `Dialog` is made of; a file of its own, so that it is fetched by itself. */
export { Modal } from '@mantine/core';
