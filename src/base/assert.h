/* A caller's bug. Alive unless HF_NO_ASSERT is set; never for file contents or user data. */
#ifndef HF_BASE_ASSERT_H
#define HF_BASE_ASSERT_H

void hf_assert_failed(const char* expression, const char* file, int line);

#ifdef HF_NO_ASSERT
#define HF_ASSERT(e) ((void)0)
#else
#define HF_ASSERT(e) ((e) ? (void)0 : hf_assert_failed(#e, __FILE__, __LINE__))
#endif

#endif
