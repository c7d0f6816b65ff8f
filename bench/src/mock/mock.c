/*
 * The mock upstream: one epoll thread that reads a request to its end and writes canned bytes.
 * A whole answer of some 620 bytes, or, when the body says "user":"c<N>d<ms>" (Chat) or "user_id":"c<N>d<ms>"
 * (Messages), an event stream: its beginning, N content events <ms> apart, its end.
 * mock.ts says the same in Node for machines without a C compiler; the canned bytes are its own, on stdin:
 * five blocks (answer, first, event, burst, last), each behind its length in ASCII and a newline.
 *
 *   mock <port>
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { KEPT = 8192, READ = 256 * 1024, MAX_FD = 65536, BURST = 32 };
enum { ANSWER, FIRST, EVENT, MANY, LAST, BLOCKS };

struct block { char *bytes; size_t length; };
struct connection {
  int fd, used, in_body, chunked, waits, slot;
  long body_left;           /* of a body with a content-length */
  long events_left;         /* content events still to send; -1 when only the last block is left */
  long delay_us;
  int64_t due_us;
  const struct block *out;  /* being written */
  size_t written;
  char tail[5];             /* the last bytes of a chunked body */
  char kept[KEPT + 1];      /* head and the beginning of the body */
};

static struct block blocks[BLOCKS];
static struct connection *connections[MAX_FD];
static struct connection *heap[MAX_FD]; /* streams that wait for their next event, soonest first */
static int heap_size, epoll;
static char input[READ];

static int64_t now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void place(struct connection *c, int at) { heap[at] = c; c->slot = at; }

static void sift(struct connection *c, int at) {
  while (at > 0 && heap[(at - 1) / 2]->due_us > c->due_us) { place(heap[(at - 1) / 2], at); at = (at - 1) / 2; }
  for (;;) {
    int child = 2 * at + 1;
    if (child >= heap_size) break;
    if (child + 1 < heap_size && heap[child + 1]->due_us < heap[child]->due_us) child++;
    if (heap[child]->due_us >= c->due_us) break;
    place(heap[child], at);
    at = child;
  }
  place(c, at);
}

static void unschedule(struct connection *c) {
  if (c->slot < 0) return;
  struct connection *moved = heap[--heap_size];
  if (moved != c) sift(moved, c->slot);
  c->slot = -1;
}

static void watch(struct connection *c, int writable) {
  if (c->waits == writable) return;
  struct epoll_event e = {.events = EPOLLIN | (writable ? EPOLLOUT : 0), .data.fd = c->fd};
  epoll_ctl(epoll, EPOLL_CTL_MOD, c->fd, &e);
  c->waits = writable;
}

static void drop(struct connection *c) {
  unschedule(c);
  connections[c->fd] = NULL;
  close(c->fd);
  free(c);
}

/* The block that comes after the one just written; NULL when the answer is whole or must wait. */
static const struct block *next(struct connection *c) {
  if (c->out == &blocks[ANSWER] || c->out == &blocks[LAST]) return NULL;
  if (c->events_left <= 0) return &blocks[LAST];
  if (c->delay_us > 0) {
    c->due_us += c->delay_us;
    heap_size++;
    sift(c, heap_size - 1);
    return NULL;
  }
  int many = c->events_left >= BURST;
  c->events_left -= many ? BURST : 1;
  return &blocks[many ? MANY : EVENT];
}

static void write_on(struct connection *c) {
  while (c->out) {
    ssize_t n = send(c->fd, c->out->bytes + c->written, c->out->length - c->written, MSG_NOSIGNAL);
    if (n < 0 && errno == EAGAIN) { watch(c, 1); return; }
    if (n < 0) { drop(c); return; }
    c->written += n;
    if (c->written < c->out->length) continue;
    c->out = next(c);
    c->written = 0;
  }
  watch(c, 0);
}

/* Behind "user":"c or "user_id":"c, with or without spaces around the colon; NULL without either. */
static const char *stream_size(const char *text) {
  while ((text = strstr(text, "\"user"))) {
    text += 5;
    const char *at = text + (strncmp(text, "_id", 3) ? 0 : 3);
    if (*at++ != '"') continue;
    at += strspn(at, " ");
    if (*at++ != ':') continue;
    at += strspn(at, " ");
    if (!strncmp(at, "\"c", 2)) return at + 2;
  }
  return NULL;
}

static void answer(struct connection *c) {
  long events, delay_ms;
  const char *size = stream_size(c->kept);
  c->out = &blocks[ANSWER];
  if (size && sscanf(size, "%ldd%ld", &events, &delay_ms) == 2) {
    c->out = &blocks[FIRST]; /* holds the first content event */
    c->events_left = events - 1;
    c->delay_us = delay_ms * 1000;
    c->due_us = now_us();
  }
  c->written = c->used = c->in_body = 0;
  write_on(c);
}

static void keep(struct connection *c, const char *bytes, size_t n) {
  if (n > (size_t)(KEPT - c->used)) n = KEPT - c->used;
  memcpy(c->kept + c->used, bytes, n);
  c->used += n;
  c->kept[c->used] = 0;
}

static int body_over(struct connection *c, const char *bytes, size_t n) {
  if (!c->chunked) return (c->body_left -= n) <= 0;
  size_t take = n < 5 ? n : 5;
  memmove(c->tail, c->tail + take, 5 - take);
  memcpy(c->tail + 5 - take, bytes + n - take, take);
  return memcmp(c->tail, "0\r\n\r\n", 5) == 0;
}

static void take(struct connection *c, size_t n) {
  int before = c->used;
  keep(c, input, n);
  if (c->in_body) {
    if (body_over(c, input, n)) answer(c);
    return;
  }
  char *end = strstr(c->kept, "\r\n\r\n");
  if (!end) {
    if (c->used == KEPT) drop(c);
    return;
  }
  size_t head = end + 4 - c->kept;
  *end = 0;
  char *length = strcasestr(c->kept, "\ncontent-length:");
  c->chunked = strcasestr(c->kept, "\ntransfer-encoding:") != NULL;
  *end = '\r';
  c->body_left = length ? atol(length + 16) : 0;
  c->in_body = 1;
  memset(c->tail, 0, 5);
  size_t in_head = head - before;
  if (body_over(c, input + in_head, n - in_head)) answer(c);
}

static void accept_all(int listener) {
  int fd, one = 1;
  while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
    struct connection *c = calloc(1, sizeof *c);
    if (!c || fd >= MAX_FD) { free(c); close(fd); continue; }
    c->fd = fd;
    c->slot = -1;
    connections[fd] = c;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    struct epoll_event e = {.events = EPOLLIN, .data.fd = fd};
    epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e);
  }
}

static void read_blocks(void) {
  for (int i = 0; i < BLOCKS; i++) {
    if (scanf("%zu", &blocks[i].length) != 1 || getchar() != '\n') exit(2);
    blocks[i].bytes = malloc(blocks[i].length);
    if (!blocks[i].bytes || fread(blocks[i].bytes, 1, blocks[i].length, stdin) != blocks[i].length) exit(2);
  }
}

static int listen_on(int port) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), one = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (bind(fd, (struct sockaddr *)&at, sizeof at) || listen(fd, 4096)) { perror("mock"); exit(1); }
  return fd;
}

static void send_due(void) {
  for (int64_t now = now_us(); heap_size > 0 && heap[0]->due_us <= now;) {
    struct connection *c = heap[0];
    unschedule(c);
    c->events_left--;
    c->out = &blocks[EVENT];
    c->written = 0;
    write_on(c);
  }
}

static void serve(int listener) {
  struct epoll_event ready[512], e = {.events = EPOLLIN, .data.fd = listener};
  epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &e);
  for (;;) {
    int64_t wait_us = heap_size > 0 ? heap[0]->due_us - now_us() : -1;
    int count = epoll_wait(epoll, ready, 512, heap_size == 0 ? -1 : wait_us <= 0 ? 0 : (int)((wait_us + 999) / 1000));
    for (int i = 0; i < count; i++) {
      int fd = ready[i].data.fd;
      if (fd == listener) { accept_all(listener); continue; }
      struct connection *c = connections[fd];
      if (c && (ready[i].events & EPOLLOUT)) write_on(c);
      c = connections[fd];
      if (!c || !(ready[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR))) continue;
      ssize_t n = read(fd, input, READ);
      if (n > 0) take(c, n);
      else if (n == 0 || errno != EAGAIN) drop(c);
    }
    send_due();
  }
}

int main(int count, char **arguments) {
  if (count != 2) return 2;
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  read_blocks();
  int listener = listen_on(atoi(arguments[1]));
  epoll = epoll_create1(0);
  serve(listener);
}
