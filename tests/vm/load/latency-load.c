/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A load whose users would notice waiting: a small relative of schbench, for guests without it.
 *
 * One messenger wakes idle workers; each then does a fixed amount of computation, one request, and is idle again until
 * the messenger, after --sleep-usec, comes round. Wakeup latency is from the message to the worker running, request
 * time from the message to the end of the computation, which is what a client would see. The computation is a count of
 * matrix multiplications, so that waiting, not the amount of work, is what changes.
 *
 * SIGUSR1 prints the figures since the last print and begins anew, so that windows of one run can be compared;
 * the end (SIGTERM, SIGINT or --seconds) prints the same for what is left. One line, "name value name value ...".
 *
 * With --spin N there are instead N threads that only burn CPU time. With --short-lived N there are N threads that make
 * another one for each 5 ms of computation, and wait for its end, so that whoever looks once a second sees none of
 * them.
 */
#include <getopt.h>
#include <inttypes.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NSEC_PER_SEC UINT64_C(1000000000)
#define NSEC_PER_USEC UINT64_C(1000)
#define THREADS_MAX 1024
/* 24 x 24 floats, three times: under 7 KiB, in every L1; the load must feel waiting, not the size of caches. */
#define MATRIX_SIZE 24

/* Times in buckets that are 1/16 of a power of two wide: a percentile is at most 6 % off. */
#define BUCKETS_PER_POWER 16
#define BUCKETS (64 * BUCKETS_PER_POWER)

typedef struct Histogram {
        atomic_uint_fast64_t count[BUCKETS];
} Histogram;

typedef struct Worker {
        sem_t wakeup;
        uint64_t sent_nsec; /* when the message that wakes it was sent; handed over by the semaphore */
        struct Worker *next_idle;
        float a[MATRIX_SIZE][MATRIX_SIZE], b[MATRIX_SIZE][MATRIX_SIZE], c[MATRIX_SIZE][MATRIX_SIZE];
} Worker;

/* Idle workers, waiting for the messenger. */
typedef struct IdleList {
        pthread_mutex_t mutex;
        pthread_cond_t filled;
        Worker *first;
} IdleList;

static unsigned arg_threads = 6;
static unsigned arg_seconds = 0;
static unsigned arg_work_usec = 5000;
static unsigned arg_sleep_usec = 1000;
static unsigned arg_spin = 0;
static unsigned arg_short_lived = 0;
static uint64_t arg_loops = 0; /* 0: measure how many make arg_work_usec */

static IdleList idle_list = {.mutex = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER};
static Histogram wakeup_times, request_times;

static uint64_t now_nsec(clockid_t clock) {
        struct timespec t;

        clock_gettime(clock, &t);
        return (uint64_t) t.tv_sec * NSEC_PER_SEC + (uint64_t) t.tv_nsec;
}

static void sleep_usec(unsigned usec) {
        struct timespec t = {.tv_sec = usec / 1000000, .tv_nsec = (long) (usec % 1000000) * 1000};

        nanosleep(&t, NULL);
}

static void die(const char *what) {
        fprintf(stderr, "latency-load: %s\n", what);
        exit(EXIT_FAILURE);
}

/* Values below 16 have a bucket each; above, the power of two and the four bits that follow the first. */
static unsigned bucket_of(uint64_t value) {
        unsigned power;

        if (value < BUCKETS_PER_POWER)
                return (unsigned) value;
        power = 63 - (unsigned) __builtin_clzll(value);
        return (power - 3) * BUCKETS_PER_POWER + (unsigned) ((value >> (power - 4)) & (BUCKETS_PER_POWER - 1));
}

static uint64_t bucket_middle(unsigned bucket) {
        unsigned power = bucket / BUCKETS_PER_POWER + 3;
        uint64_t step;

        if (bucket < BUCKETS_PER_POWER)
                return bucket;
        step = UINT64_C(1) << (power - 4);
        return (BUCKETS_PER_POWER + bucket % BUCKETS_PER_POWER) * step + step / 2;
}

static void histogram_add(Histogram *h, uint64_t value) {
        atomic_fetch_add_explicit(&h->count[bucket_of(value)], 1, memory_order_relaxed);
}

/* Moves the counts to ret_count and returns their sum. */
static uint64_t histogram_take(Histogram *h, uint64_t ret_count[static BUCKETS]) {
        uint64_t sum = 0;

        for (unsigned i = 0; i < BUCKETS; i++) {
                ret_count[i] = atomic_exchange_explicit(&h->count[i], 0, memory_order_relaxed);
                sum += ret_count[i];
        }
        return sum;
}

static uint64_t percentile_usec(const uint64_t count[static BUCKETS], uint64_t sum, unsigned percent) {
        uint64_t seen = 0;

        for (unsigned i = 0; i < BUCKETS; i++) {
                seen += count[i];
                if (seen > 0 && seen * 100 >= sum * percent)
                        return bucket_middle(i) / NSEC_PER_USEC;
        }
        return 0;
}

static void report_print(uint64_t *since_nsec) {
        static uint64_t wakeups[BUCKETS], requests[BUCKETS];
        uint64_t now = now_nsec(CLOCK_MONOTONIC), n_wakeups, n_requests;
        double seconds = (double) (now - *since_nsec) / (double) NSEC_PER_SEC;

        n_wakeups = histogram_take(&wakeup_times, wakeups);
        n_requests = histogram_take(&request_times, requests);
        printf("seconds %.2f requests %" PRIu64 " requests_per_second %.2f wakeup_p50_usec %" PRIu64
               " wakeup_p99_usec %" PRIu64 " request_p50_usec %" PRIu64 " request_p99_usec %" PRIu64 "\n",
               seconds, n_requests, (double) n_requests / seconds, percentile_usec(wakeups, n_wakeups, 50),
               percentile_usec(wakeups, n_wakeups, 99), percentile_usec(requests, n_requests, 50),
               percentile_usec(requests, n_requests, 99));
        fflush(stdout);
        *since_nsec = now;
}

static void matrix_multiply(Worker *w) {
        for (unsigned i = 0; i < MATRIX_SIZE; i++)
                for (unsigned j = 0; j < MATRIX_SIZE; j++) {
                        float sum = 0;

                        for (unsigned k = 0; k < MATRIX_SIZE; k++)
                                sum += w->a[i][k] * w->b[k][j];
                        w->c[i][j] = sum;
                }
        /* The result is wanted: without this the compiler may drop the work. */
        __asm__ volatile("" : : "r"(w->c) : "memory");
}

static void worker_compute(Worker *w, uint64_t loops) {
        for (uint64_t i = 0; i < loops; i++)
                matrix_multiply(w);
}

static Worker *worker_new(void) {
        Worker *w = calloc(1, sizeof(Worker));

        if (!w || sem_init(&w->wakeup, 0, 0) < 0)
                die("out of memory");
        for (unsigned i = 0; i < MATRIX_SIZE; i++)
                for (unsigned j = 0; j < MATRIX_SIZE; j++) {
                        w->a[i][j] = (float) (i + j);
                        w->b[i][j] = (float) (i * j % 7);
                }
        return w;
}

/* CPU time, not wall clock: other load must not make the requests smaller. */
static uint64_t loops_calibrate(unsigned work_usec) {
        const uint64_t probe_nsec = NSEC_PER_SEC / 5;
        Worker *w = worker_new();
        uint64_t loops = 0, begin = now_nsec(CLOCK_THREAD_CPUTIME_ID), used;

        do {
                worker_compute(w, 10);
                loops += 10;
                used = now_nsec(CLOCK_THREAD_CPUTIME_ID) - begin;
        } while (used < probe_nsec);
        free(w);
        loops = loops * work_usec * NSEC_PER_USEC / used;
        return loops > 0 ? loops : 1;
}

static void worker_wait(Worker *w) {
        pthread_mutex_lock(&idle_list.mutex);
        w->next_idle = idle_list.first;
        idle_list.first = w;
        pthread_cond_signal(&idle_list.filled);
        pthread_mutex_unlock(&idle_list.mutex);
        while (sem_wait(&w->wakeup) < 0)
                ; /* EINTR */
}

static void *worker_run(void *userdata) {
        Worker *w = userdata;

        for (;;) {
                worker_wait(w);
                histogram_add(&wakeup_times, now_nsec(CLOCK_MONOTONIC) - w->sent_nsec);
                worker_compute(w, arg_loops);
                histogram_add(&request_times, now_nsec(CLOCK_MONOTONIC) - w->sent_nsec);
        }
        return NULL;
}

static Worker *idle_list_take(void) {
        Worker *first;

        pthread_mutex_lock(&idle_list.mutex);
        while (!idle_list.first)
                pthread_cond_wait(&idle_list.filled, &idle_list.mutex);
        pthread_mutex_unlock(&idle_list.mutex);
        sleep_usec(arg_sleep_usec);
        pthread_mutex_lock(&idle_list.mutex);
        first = idle_list.first;
        idle_list.first = NULL;
        pthread_mutex_unlock(&idle_list.mutex);
        return first;
}

static void *messenger_run(void *userdata) {
        (void) userdata;
        for (;;)
                for (Worker *w = idle_list_take(), *next; w; w = next) {
                        next = w->next_idle; /* w is its own again as soon as it is woken */
                        w->sent_nsec = now_nsec(CLOCK_MONOTONIC);
                        sem_post(&w->wakeup);
                }
        return NULL;
}

static void *spinner_run(void *userdata) {
        for (;;)
                matrix_multiply(userdata);
        return NULL;
}

static void *one_request(void *userdata) {
        worker_compute(userdata, arg_loops);
        return NULL;
}

static void *short_lived_run(void *userdata) {
        pthread_t thread;

        for (;;)
                if (pthread_create(&thread, NULL, one_request, userdata) == 0)
                        pthread_join(thread, NULL);
                else
                        die("cannot create a thread");
        return NULL;
}

static void thread_start(void *(*run)(void *), void *userdata) {
        pthread_t thread;

        if (pthread_create(&thread, NULL, run, userdata) != 0)
                die("cannot create a thread");
}

static void load_start(void) {
        if (arg_spin > 0) {
                for (unsigned i = 0; i < arg_spin; i++)
                        thread_start(spinner_run, worker_new());
                return;
        }
        if (arg_loops == 0)
                arg_loops = loops_calibrate(arg_work_usec);
        if (arg_short_lived > 0) {
                for (unsigned i = 0; i < arg_short_lived; i++)
                        thread_start(short_lived_run, worker_new());
                return;
        }
        fprintf(stderr, "latency-load: %u workers, %" PRIu64 " loops a request\n", arg_threads, arg_loops);
        for (unsigned i = 0; i < arg_threads; i++)
                thread_start(worker_run, worker_new());
        thread_start(messenger_run, NULL);
}

/* Waits for a signal of the set until end_nsec, or without end where that is 0. Returns the signal, -1 at the end. */
static int signal_wait(const sigset_t *set, uint64_t end_nsec) {
        uint64_t now = now_nsec(CLOCK_MONOTONIC), left = end_nsec > now ? end_nsec - now : 0;
        struct timespec t = {.tv_sec = (time_t) (left / NSEC_PER_SEC), .tv_nsec = (long) (left % NSEC_PER_SEC)};

        return end_nsec > 0 ? sigtimedwait(set, NULL, &t) : sigwaitinfo(set, NULL);
}

static void run_until_told(const sigset_t *set) {
        uint64_t since = now_nsec(CLOCK_MONOTONIC), end = arg_seconds > 0 ? since + arg_seconds * NSEC_PER_SEC : 0;
        int sig;

        bool silent = arg_spin > 0 || arg_short_lived > 0;
        while ((sig = signal_wait(set, end)) == SIGUSR1)
                if (!silent)
                        report_print(&since);
        if (!silent)
                report_print(&since);
}

static unsigned unsigned_parse(const char *text) {
        char *end;
        unsigned long value = strtoul(text, &end, 10);

        if (end == text || *end || *text == '-' || value > UINT32_MAX)
                die("a number is wanted");
        return (unsigned) value;
}

static void usage_print(void) {
        printf("latency-load [--threads N] [--seconds N] [--work-usec N | --loops N] [--sleep-usec N]\n"
               "latency-load --spin N [--seconds N]\n"
               "latency-load --short-lived N [--seconds N] [--work-usec N | --loops N]\n\n"
               "  --threads N     workers (%u)\n"
               "  --seconds N     0: until SIGTERM (%u); SIGUSR1 prints the figures since the last time\n"
               "  --work-usec N   CPU time of one request, from which the loops are calculated at the start (%u)\n"
               "  --loops N       the amount itself, so that several runs do the same work\n"
               "  --sleep-usec N  between the end of a request and the next (%u)\n"
               "  --spin N        only burn CPU time, with N threads\n"
               "  --short-lived N make N times one thread after the other, each for one request\n",
               arg_threads, arg_seconds, arg_work_usec, arg_sleep_usec);
}

static void arguments_parse(int argc, char *argv[]) {
        static const struct option options[] = {
                {"threads", required_argument, NULL, 't'},
                {"seconds", required_argument, NULL, 's'},
                {"work-usec", required_argument, NULL, 'w'},
                {"loops", required_argument, NULL, 'l'},
                {"sleep-usec", required_argument, NULL, 'i'},
                {"spin", required_argument, NULL, 'b'},
                {"short-lived", required_argument, NULL, 'x'},
                {"help", no_argument, NULL, 'h'},
                {},
        };
        int c;

        while ((c = getopt_long(argc, argv, "", options, NULL)) >= 0)
                switch (c) {
                case 't':
                        arg_threads = unsigned_parse(optarg);
                        break;
                case 's':
                        arg_seconds = unsigned_parse(optarg);
                        break;
                case 'w':
                        arg_work_usec = unsigned_parse(optarg);
                        break;
                case 'l':
                        arg_loops = unsigned_parse(optarg);
                        break;
                case 'i':
                        arg_sleep_usec = unsigned_parse(optarg);
                        break;
                case 'b':
                        arg_spin = unsigned_parse(optarg);
                        break;
                case 'x':
                        arg_short_lived = unsigned_parse(optarg);
                        break;
                case 'h':
                        usage_print();
                        exit(EXIT_SUCCESS);
                default:
                        exit(2);
                }
        if (optind < argc || arg_threads == 0 || arg_threads > THREADS_MAX || arg_spin > THREADS_MAX ||
            arg_short_lived > THREADS_MAX)
                die("wrong arguments, see --help");
}

int main(int argc, char *argv[]) {
        sigset_t set;

        arguments_parse(argc, argv);
        /* Blocked before the threads start, so that only main sees them. */
        sigemptyset(&set);
        sigaddset(&set, SIGTERM);
        sigaddset(&set, SIGINT);
        sigaddset(&set, SIGUSR1);
        sigprocmask(SIG_BLOCK, &set, NULL);
        load_start();
        run_until_told(&set);
        return EXIT_SUCCESS;
}
