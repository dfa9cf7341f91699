/** A gate worker that never gets ready. */
throw new Error('this thread does not start')
